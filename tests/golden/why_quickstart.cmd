# Where a step loses time, ceilings, and changes that help; then from measured times and options alone.
sim why scenarios/quickstart.yaml
sim why --model resnet50_v100 --workers 16 --link 10Gbit/s --alone 96ms --step 240ms
sim why --workers 16 --format csv
