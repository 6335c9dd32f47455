# The versions that a report of an error needs, each of the form of a version.
sim version | sed -E 's/[0-9]+(\.[0-9]+)+/VERSION/; s/g\+\+|clang\+\+/COMPILER/'
