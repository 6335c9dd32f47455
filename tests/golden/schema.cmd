# A JSON schema that names every key of a scenario.
sim schema | python3 -c 'import json,sys; print(*json.load(sys.stdin)["properties"], sep="\n")' || echo 'python3 is needed'
