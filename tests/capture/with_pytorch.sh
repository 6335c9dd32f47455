#!/usr/bin/env bash
# Runs a test of this folder by the first Python that has a PyTorch which the package supports.
#
#   with_pytorch.sh PYTHON TEST.py [ARGUMENTS]
# Tried are GRADSIM_CAPTURE_PYTHON, PYTHON and /usr/bin/python3.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for python in "${GRADSIM_CAPTURE_PYTHON:-}" "$1" /usr/bin/python3; do
  if [[ -n $python ]] && PYTHONPATH=$here/../../python "$python" -B -c 'from gradsim.capture import versions; versions.check_pytorch()' 2>/dev/null; then
    exec "$python" -B "$here/$2" "${@:3}"
  fi
done
echo "skipped: neither $1 nor /usr/bin/python3 has a PyTorch that the package supports"
exit 77
