#!/usr/bin/env bash
# Checks that nvcc made code of every kernel: where one calls what a device cannot run (an address of a constant of the
# host, say), it writes a trap instead and says nothing. Usage: check_traps.sh NVCC, in the root of the repository.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
found=0
for source in kernels/*.cu tests/bench/*.cu; do
  "$1" -std=c++20 -arch=compute_90 --expt-relaxed-constexpr -I. -ptx "$source" -o "$folder/code.ptx"
  if grep -q 'trap;' "$folder/code.ptx"; then
    echo "$source: a kernel was compiled to a trap"
    found=1
  fi
done
exit $found
