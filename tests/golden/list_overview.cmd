# Without a name: all names.
sim list
