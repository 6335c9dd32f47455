# Compression times fitted to measurements of a processor, within its cache and beyond it.
sim run scenarios/what_if/compress_on_the_processor.yaml --quiet --details
