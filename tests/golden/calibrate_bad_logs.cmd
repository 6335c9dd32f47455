# with stderr
# Logs that are refused: missing, not UTF-8, without rows, cut in the middle of a row, other ranks than said.
log=tests/calibrate/logs/all_gather_4_ranks.log; calibrate import nccl-tests none.log; printf 'caf\351\n' > $OUT/latin.log; calibrate import nccl-tests $OUT/latin.log; head -n 12 $log > $OUT/empty.log; calibrate import nccl-tests $OUT/empty.log; head -c 1615 $log > $OUT/cut.log; calibrate import nccl-tests $OUT/cut.log; calibrate import nccl-tests $log --ranks 8; calibrate import nccl-tests $log --collective all_gahter; calibrate import osu $log --ranks 4
