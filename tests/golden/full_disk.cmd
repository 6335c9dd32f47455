# with stderr
# Output that cannot be written is a failure of the system.
sim list policies >/dev/full
