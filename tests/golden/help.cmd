# What the program says of itself.
sim --help && sim run --help && sim cost --help && sim advise --help
