# The page of a sweep, of which some points failed: its sentences and tables.
sim sweep scenarios/quickstart.yaml --quiet --set training.steps=4 --db $OUT/s.db --axis cluster.workers=4,0 --axis 'cluster.link.bandwidth=1 Gbit/s,10 Gbit/s'; echo 'chart library' >$OUT/charts.js; sim report $OUT/s.db --quiet --chart-library $OUT/charts.js; sed -n '/<header>/,/<summary>/p' $OUT/s.html
