#!/usr/bin/env bash
# Makes a Python environment with the packages of a list, or brings an earlier one up to date.
#
#   make_environment.sh ENVIRONMENT LIST
#
# Nothing is installed where GRADSIM_INSTALL is no. Exit code 0 done, 3 Python or a package is missing.
set -euo pipefail

environment=$1 list=$2

fail() {
  printf 'dev: %s\n' "$*" >&2
  exit 3
}

command -v python3 >/dev/null 2>&1 || fail "python3 is needed"
[[ -x $environment/bin/python ]] || python3 -m venv "$environment" >&2 || fail "python3 could not make $environment"
[[ ${GRADSIM_INSTALL:-yes} == no ]] && fail "packages are missing in $environment: pip install -r $list"
printf 'dev: installing the packages of %s into %s\n' "$list" "$environment" >&2
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list" >&2 ||
  fail "pip could not install $list (its own words are above)"
touch "$environment/.installed"
