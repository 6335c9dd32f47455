# Ctrl-C keeps what was finished, SIGTERM as well; nothing half-written stays.
for signal in INT TERM; do sim run scenarios/quickstart.yaml --quiet --details --set training.steps=1000000000 --set output.steps_every=1000000 --out $OUT/$signal >$OUT/report & sleep 1; kill -$signal $!; wait $!; echo $?; ls -A $OUT/$signal; grep -c 'was interrupted' $OUT/report; done
