#!/usr/bin/env bash
# `./dev wheel` makes a wheel that runs from any folder, on libraries that each Debian 12 with Python has, in at most 16 MB.
#
#   check_wheel.sh SIM
#
# Its results are the bytes of SIM. Takes minutes; build/wheel keeps tools and SimGrid, which come from the network the first
# time. Skipped where they cannot be had.
set -euo pipefail

most_bytes=16000000
newest_libc=2.36 newest_libstdcxx=3.4.30
own_libraries='libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|libz|libexpat' # of manylinux; Debian's Python has them
sim=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "$*" && exit 1; }

if ! { [[ -x build/wheel/environment/bin/auditwheel && -e build/wheel/simgrid/lib/pkgconfig/simgrid.pc ]] ||
  python3 -m pip download --quiet --no-deps --no-binary :all: --dest "$work" simgrid==3.32 >/dev/null 2>&1; }; then
  echo 'skipped: no tools in build/wheel, and no package index to take them from'
  exit 77
fi
rm -f dist/gradsim-*.whl
python/build_wheel.sh >"$work/log" 2>&1 || { tail -n 40 "$work/log" && exit 1; }
wheels=(dist/gradsim-*.whl)
[[ ${#wheels[@]} -eq 1 && ${wheels[0]} == *-py3-none-*manylinux_2_36_x86_64.whl ]] || fail "expected one wheel for any Python 3: ${wheels[*]}"
bytes=$(stat -c %s "${wheels[0]}")
[[ $bytes -le $most_bytes ]] || fail "the wheel has $bytes bytes, more than $most_bytes"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "${wheels[0]}"
cd "$work"
bare() { env -i PATH=/usr/bin:/bin HOME="$work" "$@"; }
bare venv/bin/python -c 'import gradsim; print(gradsim.run("quickstart"), end="")' >printed
"$sim" run quickstart --quiet >expected
cmp expected printed || fail 'the wheel prints something else than the program of the build'

mapfile -t binaries < <(find venv -path '*gradsim*' -type f \( -name sim -o -name '*.so*' \))
[[ ${#binaries[@]} -gt 3 ]] || fail "expected a program and its libraries, found ${binaries[*]}"
for binary in "${binaries[@]}"; do
  while read -r library; do
    [[ $library == *"$work"/* || $library =~ ^/[^\ ]*/($own_libraries)[-.0-9]*\.so ]] || fail "$binary loads $library"
  done < <(bare ldd "$binary" | sed -n 's/.*=> \([^ ]*\).*/\1/p')
  newer() { # PREFIX NEWEST: versions of symbols that it needs and are newer
    objdump -T "$binary" | grep -o "$1_[0-9.]*" | sed "s/$1_//" | sort -Vu | awk -v newest="$2" '$1 == newest {past = 1; next} past'
  }
  [[ -z $(newer GLIBC "$newest_libc")$(newer GLIBCXX "$newest_libstdcxx") ]] || fail "$binary needs newer symbols than Debian 12 has"
done
