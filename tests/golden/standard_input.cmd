# with stderr
# A file of `-` is standard input, which a command may read several times.
cat scenarios/quickstart.yaml | sim run - --quiet --format csv | cut -d, -f1-3; cat scenarios/quickstart.yaml | sim check - | grep -c 'cluster'; cat scenarios/quickstart.yaml | sim explain - --format csv | wc -l; printf 'workload: resnet50_v100\ncluster: {nodes: 2, gpus_per_node: 8}\n' | sim check -; sim check - </dev/null
