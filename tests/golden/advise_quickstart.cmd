# with stderr
# A scenario that asks nothing is advised over the whole catalogue; its arms are left aside.
sim advise scenarios/quickstart.yaml --objective time | head -20
