# with stderr
# A list that does not exist is wrong usage.
sim list colectives
