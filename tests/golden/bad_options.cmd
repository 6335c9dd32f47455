# with stderr
# Options with values that are refused.
sim run scenarios/quickstart.yaml --quiet --set training.batch=0; echo $?; sim run scenarios/quickstart.yaml --quiet --set training.bach=8; echo $?; sim run scenarios/quickstart.yaml --quiet --set nonsense; echo $?; sim run scenarios/quickstart.yaml --quiet --audit 2; echo $?; sim run scenarios/quickstart.yaml --quiet --seed -1; echo $?
