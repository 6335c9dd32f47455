# with stderr
# Options that need a file name it; a file that is not complete, not sound or no sweep is refused.
S=scenarios/quickstart.yaml; sim sweep $S --axis seed=1 --resume; echo $?; sim sweep $S --axis seed=1 --steps; echo $?; sim sweep --check; echo $?; sim sweep $S --axis seed=1 --timeout 3; echo $?; sim sweep $S --axis seed=1 --timeout 0s; echo $?; sim sweep $S --quiet --set training.steps=2 --axis seed=1..3 --db $OUT/s.db; echo $?; sim sweep --db $OUT/s.db --check; echo $?; echo text >$OUT/t.db; sim sweep --db $OUT/t.db --check; echo $?; sim sweep --db $OUT/none.db --check; echo $?
