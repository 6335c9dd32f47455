#!/usr/bin/env bash
# `./dev pack`: what a GPU node without a network needs, as archives in the folder it is called from.
#
#   pack.sh [--built sm_NN|emulated] [--without-data]
#
# gradsim-gpu.tar.gz holds the sources, other people's headers and libraries, iproute2, and the training data; with it the
# node's own compilers build. --built adds gpu-built.tar.gz: programs compiled here for GPUs of that compute capability or
# newer, so that nothing is compiled there; they need x86-64 and glibc 2.36 or newer. `emulated` makes programs whose GPU is
# emulated, for a rehearsal (`./dev gpu --rehearse`). Exit code 0 done, 2 usage, 3 something is missing or too large.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
sources=gradsim-gpu.tar.gz
programs=gpu-built.tar.gz
most_bytes=54000000 # of both: what a node is sent together with a checkout
# Target or its emulated form, and the path of the program below the build folder.
targets=(calibrate test_device test_device_probes kernels_bench live_switch overlap_copy)
places=(bin/calibrate tests/test_device tests/test_device_probes bench/kernels_bench tests/live/live_switch bin/liboverlap_copy.so)
emulated=(calibrate_emulated test_device_emulated test_device_probes_emulated kernels_bench live_switch stub_nccl stub_calibrate)
emulated_places=(tests/calibrate_emulated tests/test_device_emulated tests/test_device_probes_emulated bench/kernels_bench
  tests/live/live_switch tests/nccl_stub/libstub_nccl.so tests/stub_calibrate)

say() { printf 'dev: pack: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 3
}

# Other people's headers that the sources of the GPU build include, one path a line, relative to its include folder.
third_party_headers() {
  find netmodels files settings kernels command_line calibrate -name '*.cpp' -print0 |
    xargs -0 -r c++ -std=c++20 -I. -I/usr/include/eigen3 -DFMT_HEADER_ONLY=1 -M -MG \
      -DGRADSIM_HAS_{CUDA,NCCL,MPI,GZIP}=0 |
    tr -s ' ' '\n' |
    sed -n -E 's#^/usr/include/((eigen3/)?(tl|fmt|CLI|nlohmann|boost|Eigen|unsupported)/.*)#\1#p' | sort -u
}

pack_headers() { # FOLDER
  local header
  third_party_headers | while read -r header; do
    install -D -p -m 644 "/usr/include/$header" "$1/include/${header#eigen3/}"
  done
}

# Google Benchmark, for kernels_bench. Debian has no archive of it, so kernels_bench looks for this file beside the tree.
pack_benchmark_library() { # FOLDER
  local library
  library=$(ldconfig -p | sed -n -E 's#.*libbenchmark\.so\.1debian .*=> (.*)#\1#p' | head -n 1)
  if [[ -z $library ]]; then
    say "no Google Benchmark here (Debian: libbenchmark-dev); \`calibrate probe kernels --device cuda\` measures without it"
    return
  fi
  mkdir -p "$1/lib"
  cp -pL "$library" "$1/lib/libbenchmark.so.1debian"
  cp -rp /usr/include/benchmark "$1/include/"
}

# `ip` and `tc`, with the libraries that they need beside glibc, for NCCL over shaped links.
pack_iproute2() { # FOLDER
  local tool file library
  mkdir -p "$1/bin" "$1/lib"
  for tool in ip tc; do
    file=$(PATH=$PATH:/usr/sbin:/sbin command -v "$tool") || {
      say "no $tool here (Debian: iproute2); NCCL over shaped links cannot be measured there without one"
      return
    }
    cp -L "$file" "$1/lib/$tool"
    # shellcheck disable=SC2016  # $1 is awk's, $(...) and $@ are for the node
    ldd "$file" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libz)\.so/ { print $3 }' | while read -r library; do
      cp -L "$library" "$1/lib/"
    done
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nhere=$(cd "$(dirname "$0")/.." && pwd)\nexec /lib64/ld-linux-x86-64.so.2 --library-path "$here/lib" "$here/lib/%s" "$@"\n' \
      "$tool" >"$1/bin/$tool"
    chmod +x "$1/bin/$tool"
  done
}

# The first folder that holds them: GRADSIM_DATA, data, ../shared/data/sets.
find_training_data() { # NAME
  local folder
  for folder in ${GRADSIM_DATA:+"$GRADSIM_DATA"} data ../shared/data/sets; do
    if [[ -d $folder/$1 ]]; then echo "$folder/$1" && return; fi
  done
}

# What calibrate/probes/pytorch_statistics.py trains on.
pack_training_data() { # FOLDER
  local name from
  for name in fashion-mnist tinyshakespeare; do
    from=$(find_training_data "$name")
    [[ -n $from ]] ||
      fail "no folder $name in ${GRADSIM_DATA:-data}: name the folder that holds it by GRADSIM_DATA, or leave out what" \
        "trains on it by --without-data"
    mkdir -p "$1"
    cp -r "$from" "$1/$name"
    chmod -R u+w "$1/$name"
  done
}

check_size() { # FILE...
  local bytes=0 file
  for file in "$@"; do bytes=$((bytes + $(stat -c %s "$file"))); done
  if ((bytes > most_bytes)); then
    rm "$@"
    fail "the archives have $bytes bytes together, more than $most_bytes; leave the training data out by --without-data"
  fi
  say "$bytes of at most $most_bytes bytes: $*"
}

make_tree() { # FOLDER
  mkdir -p "$1/third_party/include"
  cp -rp CMakeLists.txt CMakePresets.json LICENSE cmake dev netmodels files settings kernels command_line calibrate scenarios tests "$1"
  pack_headers "$1/third_party"
  cp -rp /usr/src/googletest "$1/third_party/googletest"
  pack_benchmark_library "$1/third_party"
  pack_iproute2 "$1/third_party/iproute2"
  [[ $with_data == no ]] || pack_training_data "$1/data"
}

# CMake's options of programs that run on another machine: no MPI, and the compiler's libraries inside.
portable_options() { # ARCHITECTURE, or emulated
  local options=(-DGRADSIM_PORTABLE=ON -DGRADSIM_BENCH=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
  if [[ $1 == emulated ]]; then options+=(-DGRADSIM_CUDA=OFF); else options+=("-DCMAKE_CUDA_ARCHITECTURES=$1"); fi
  echo "${options[@]}"
}

# Compiled in the folder that the archive has been unpacked to, as a node would.
build_programs() { # TREE ARCHITECTURE
  local wanted=() target
  # shellcheck disable=SC2046  # the options are meant to be split
  (cd "$1" && cmake --preset gpu -G Ninja $(portable_options "$2") >&2) || fail "configuring failed"
  for target in "${targets[@]}"; do
    ninja -C "$1/build-gpu" -t query "$target" >/dev/null 2>&1 && wanted+=("$target")
  done
  cmake --build "$1/build-gpu" --parallel "${GRADSIM_JOBS:-$(nproc)}" --target "${wanted[@]}" >&2 || fail "building failed"
}

# Stripped copies of the programs, where a build on the node would have put them.
place_programs() { # BUILD FOLDER
  local i file
  for i in "${!places[@]}"; do
    file=$1/${places[i]}
    [[ -e $file ]] || continue
    install -D "$file" "$2/${targets_there[i]}"
    strip "$2/${targets_there[i]}"
  done
}

# The CUDA version of a build's compiler, 13.0, which says which drivers its programs need; nothing where it has none.
cuda_version() { # BUILD
  local nvcc
  nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt" 2>/dev/null || true)
  [[ -z $nvcc ]] || "$nvcc" --version | sed -n -E 's/.*release ([0-9.]+),.*/\1/p'
}

pack_programs() { # FOLDER ARCHITECTURE
  local targets_there=("${places[@]}") built=$1/built/gradsim/build-gpu
  command -v ninja >/dev/null || fail "ninja is needed (Debian: ninja-build)"
  if [[ $2 == emulated ]]; then
    targets=("${emulated[@]}") places=("${emulated_places[@]}")
    targets_there[-1]=lib/libnccl.so.2
    targets_there+=(tests/stub_calibrate)
  fi
  build_programs "$1/gradsim" "$2"
  rm -rf "$1/built" && mkdir -p "$built"
  place_programs "$1/gradsim/build-gpu" "$built"
  echo "$2 $(cuda_version "$1/gradsim/build-gpu")" >"$built/architecture"
  tar -czf "$programs" -C "$1/built" gradsim
}

read_arguments() { # ARGUMENT...
  architecture='' with_data=yes
  while [[ $# -gt 0 ]]; do
    case $1 in
      --without-data) with_data=no ;;
      --built)
        [[ ${2:-} =~ ^(sm_[0-9]+|emulated)$ ]] || { say "--built: \`${2:-}\`; accepted: sm_NN, as sm_90, or emulated" && exit 2; }
        architecture=${2#sm_} && shift
        ;;
      *) say "unknown option $1; accepted: --built, --without-data" && exit 2 ;;
    esac
    shift
  done
}

main() {
  read_arguments "$@"
  local into=$PWD made=("$sources")
  cd "$root"
  # Beside the other builds, so that a second packing finds what the first has compiled.
  local folder=$root/build-pack
  rm -rf "$folder/gradsim.new" && mkdir -p "$folder"
  make_tree "$folder/gradsim.new"
  tar -czf "$into/$sources" --transform 's/^gradsim.new/gradsim/' -C "$folder" gradsim.new
  if [[ -n $architecture ]]; then
    mkdir -p "$folder/gradsim"
    find "$folder/gradsim" -mindepth 1 -maxdepth 1 ! -name build-gpu -exec rm -rf {} +
    find "$folder/gradsim.new" -mindepth 1 -maxdepth 1 ! -name data -exec mv {} "$folder/gradsim/" \;
    (cd "$into" && pack_programs "$folder" "$architecture")
    made+=("$programs")
  fi
  rm -rf "$folder/gradsim.new"
  cd "$into"
  check_size "${made[@]}"
  say "packed. There: for a in ${made[*]}; do tar xf \$a; done; cd gradsim; ./dev gpu --minutes 9 --out RESULTS;" \
    "back here: ./dev gpu-import RESULTS"
}

[[ ${BASH_SOURCE[0]} != "$0" ]] || main "$@"
