# with stderr
# Options and measured times that `sim why` refuses.
sim why --workers 16 --set cluster=nvidia_dgx_h100; echo $?; sim why --link 10; echo $?; sim why --step fast; echo $?; sim why --mfu 50%; echo $?; sim why scenarios/quickstart.yaml --arm topk; echo $?; sim why --arm dense; echo $?; sim why --alone 96ms --step 50ms; echo $?; sim why --workers 1; echo $?
