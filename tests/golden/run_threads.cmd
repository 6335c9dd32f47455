# with stderr
# A live learner computes in any number of threads to the same bytes; no threads at all are refused.
run() { sim run scenarios/what_if/live_topk.yaml --quiet --format json --set learner.model=resnet_8_bn --set learner.test_samples=200 --set "training={batch: 16, steps: 6}" --threads "$1"; }; run 1 > "$OUT/one"; run 5 > "$OUT/five"; grep -c live: "$OUT/one"; cmp "$OUT/one" "$OUT/five" && echo the same; run 0; echo $?; run 1025; echo $?
