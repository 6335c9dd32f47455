# with stderr
# Goodput and host overhead of a profiled DDP step; the scenario that is written explains it without a fit.
sim fit step scenarios/measurements/resnet50_ddp2_a100_steps.yaml --out $OUT/fitted.yaml; sed 's|^use: .*/scenarios|use: scenarios|' $OUT/fitted.yaml; sim run $OUT/fitted.yaml --quiet --format csv | cut -d, -f2-5 | head -n 2; sim fit step scenarios/measurements/resnet50_ddp2_a100_steps.yaml --format csv | cut -d, -f1-5
