# What later steps hide of an exchange; an arm whose workers share no step is left out with a sentence, and refused alone.
sim explain scenarios/what_if/decoupled_diloco.yaml --details; echo $?; sim explain scenarios/what_if/decoupled_diloco.yaml --arm decoupled; echo $?
