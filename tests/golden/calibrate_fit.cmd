# with stderr
# Three shipped tables, each fitted by as many segments as cross-validation finds.
calibrate fit scenarios/measurements/a100x8_nvswitch_all_gather.csv scenarios/measurements/a100x8_nvswitch_all_reduce.csv scenarios/measurements/aws_2x1_socket_all_reduce.csv
