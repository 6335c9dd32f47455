# Advice on policies for programs.
sim advise scenarios/what_if/advise_robust.yaml --quiet --format csv --jobs 1 | head -4; sim advise scenarios/what_if/advise_robust.yaml --quiet --format json | head -50; sim advise scenarios/what_if/advise_robust.yaml --quiet --format json | tail -40
