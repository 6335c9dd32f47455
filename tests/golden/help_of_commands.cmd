# with stderr
# `sim help COMMAND` prints what `sim COMMAND --help` prints.
for c in run check 'fit step' new diff help; do cmp <(sim help $c) <(sim $c --help) && echo "$c: the same"; done; cmp <(sim help) <(sim --help) && echo 'without a command: the same'; sim help rum; sim --version; sim run --qiuet
