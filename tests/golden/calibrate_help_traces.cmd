# What the imports of traces say of themselves.
calibrate import kineto --help && calibrate import chakra --help
