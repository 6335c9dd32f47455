# with stderr
# Arms are compared on common seeds and common samples; what they state apart is refused.
arms() { printf 'use: %s/scenarios/quickstart.yaml\ntraining: {epochs: 1}\ncompare:\n  dense-ring: {%s}\n' "$PWD" "$1" >$OUT/arms.yaml; sim run $OUT/arms.yaml --quiet --details "${@:2}"; echo $?; }; arms 'seed: 2' --set seeds=2; arms 'uncertainty: {samples: 20}'; arms '' --set uncertainty.samples=20 --set seeds=21; cp scenarios/quickstart.yaml $OUT; sim run scenarios/quickstart.yaml $OUT/quickstart.yaml --quiet --details --out $OUT/run; echo $?
