# with stderr
# Figures that cannot be: a step faster than its computing, all-reduces that contradict each other, an unknown arm, none at all.
cd $OUT; try() { printf 'scenario: quickstart.yaml\nmeasured: %s\n' "$1" > m.yaml; sim fit step m.yaml; echo $?; }; try '[{step: 80 ms}]'; try '[{allreduce: 35 ms, bytes: 10 MB}, {allreduce: 35 ms, bytes: 20 MB}]'; try '[{step: 1 s, arm: dense-rin}]'; try '[]'; sim fit step nowhere.yaml; echo $?; sim fit; echo $?
