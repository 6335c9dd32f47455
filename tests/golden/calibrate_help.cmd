# What the program and its commands say of themselves.
calibrate --help && calibrate import --help && calibrate import nccl-tests --help && calibrate fit --help && calibrate probe mpi --help && calibrate validate --help
