# with stderr
# Wrong use: exit code 2 and what would be right.
calibrate imprt; echo $?; calibrate import mpip trace.json; echo $?; calibrate fit; echo $?; calibrate fit a.csv --segments 4; echo $?; calibrate --version
