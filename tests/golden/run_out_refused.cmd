# with stderr
# A run that is refused leaves no folder behind.
sim run tests/golden/bad/closed_form_on_uneven_links.yaml --quiet --out $OUT/deep/run; code=$?; ls -A $OUT; exit $code
