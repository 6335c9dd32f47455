# A planning question has one answer, in every format, whichever command it is given to.
for format in table json csv; do cmp <(sim run scenarios/papers/scavenger_fig3.yaml --format $format --quiet) <(sim advise scenarios/papers/scavenger_fig3.yaml --format $format --quiet) && echo $format: the same; done
