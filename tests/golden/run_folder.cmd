# with stderr
# A folder of scenarios is run file by file, in the order of their names; one without any is refused.
mkdir "$OUT/empty" "$OUT/two"; for n in b a; do printf '# Which?\nworkload: resnet50_v100\ncluster: {workers: 2, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\ntraining: {batch: 32, steps: 1}\n' > "$OUT/two/$n.yaml"; done; echo no > "$OUT/two/notes.txt"; sim run "$OUT/two" --format csv --quiet | cut -d, -f1-4; sim run "$OUT/two" "$OUT/empty" --quiet
