# with stderr
# Without a terminal progress is plain lines on stderr; --quiet has none.
sim run scenarios/quickstart.yaml --format csv >$OUT/a && sim run scenarios/quickstart.yaml --quiet --format csv >$OUT/b && cmp $OUT/a $OUT/b
