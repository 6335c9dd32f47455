# Steps with the times of collectives as they were measured, and what their errors make of the step.
sim run scenarios/what_if/measured_nccl.yaml --quiet --details | awk '/^warning: /{ warns = 1; next } warns && /^  /{ next } { warns = 0; print }'  # paths of data differ
