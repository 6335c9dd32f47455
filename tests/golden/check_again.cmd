# What check prints is again a valid scenario that says the same.
sim check scenarios/quickstart.yaml --set training.batch=64 >$OUT/once.yaml && sim check $OUT/once.yaml | sed 's/ *# .*//' >$OUT/twice && sed 's/ *# .*//' $OUT/once.yaml | diff - $OUT/twice && echo same
