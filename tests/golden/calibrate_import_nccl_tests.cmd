# with stderr
# A log under mpirun with a row that NCCL cuts in two and a row with wrong results, which is left out and counted.
calibrate import nccl-tests tests/calibrate/logs/all_gather_4_ranks.log --licence facts
