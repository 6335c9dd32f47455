#!/bin/sh
# `calibrate` of a rehearsal with an emulated GPU: NCCL's ranks are threads, and the emulated device has one, so that they are
# measured by the program whose CUDA runtime does not compute.
here=$(cd "$(dirname "$0")/../.." && pwd)/build-gpu
case $1 in
  probe) exec "$here/tests/stub_calibrate" "$@" ;;
  *) exec "$here/bin/calibrate" "$@" ;;
esac
