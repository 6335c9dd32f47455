# A second Ctrl-C ends the program in the middle of a step, which would take minutes; nothing is reported then.
sim run scenarios/quickstart.yaml --quiet --network simgrid --set cluster.workers=2000 >$OUT/report & sleep 2; kill -INT $!; sleep 0.5; kill -INT $!; wait $!; echo $?; wc -c <$OUT/report
