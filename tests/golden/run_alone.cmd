# A worker alone exchanges nothing: no collective, no bytes.
sim run scenarios/quickstart.yaml --quiet --set cluster.workers=1 --set training.steps=5 --format csv | cut -d, -f2-3,13-16; sim run scenarios/quickstart.yaml --quiet --set cluster.workers=1 --set training.steps=5 --format json | grep -c "steps_by_collective\": {}"
