# Advice for programs.
sim advise scenarios/papers/scavenger_fig5.yaml --quiet --format csv | head -4; sim advise scenarios/papers/scavenger_fig5.yaml --quiet --format json | head -40
