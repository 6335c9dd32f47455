# with stderr
# Output that cannot be written is a failure of the system.
calibrate fit scenarios/measurements/aws_2x1_socket_all_reduce.csv --quiet >/dev/full
