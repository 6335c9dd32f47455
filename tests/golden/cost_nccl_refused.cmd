# with stderr
# What a question about NCCL cannot name, each with what it can.
set -- --cluster nvidia_dgx_h100; sim cost all_reduce "$@" --ranks 8 --size 1MB --network path; echo $?; sim cost all_reduce "$@" --ranks x --size 1MB; echo $?; sim cost all_reduce "$@" --ranks 8 --ranks-per-node 0 --size 1MB; echo $?; sim cost all_reduce "$@" --ranks 8 --size 0B; echo $?; sim cost all_reduces "$@" --ranks 8 --size 1MB; echo $?; sim cost all_reduce "$@" --ranks 8 --ranks-per-node 3 --size 1MB; echo $?
