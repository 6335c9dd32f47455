# with stderr
# No command, a wrong one, a missing option, a wrong choice: exit code 2.
sim; echo $?; sim rnu x.yaml; echo $?; sim run; echo $?; sim run --nonsense x.yaml; echo $?; sim run scenarios/quickstart.yaml --network magic
