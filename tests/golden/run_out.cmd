# The five files of a run folder, complete and nothing else.
sim run scenarios/quickstart.yaml --quiet --set training.steps=3 --set output.timeline_steps=1 --out $OUT/run >/dev/null && ls -A $OUT/run && cat $OUT/run/steps.csv && head -n 8 $OUT/run/timeline.json && sim run $OUT/run/scenario.resolved.yaml --quiet --format csv | cut -d, -f2-6
