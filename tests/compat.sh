#!/usr/bin/env bash
# Loading and scoring on the ends of the supported range, without torch: Python 3.10 with datasets 3.6, Python 3.13 with the
# newest of everything. An interpreter that is not here is named and skipped.
set -eu
cd "$(dirname "$0")/.."

interpreter() {
  for candidate in "python$1" "$HOME/.pyenv/versions/$1".*/bin/python; do
    if "$candidate" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' "$1" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

run() {
  version=$1
  shift
  python=$(interpreter "$version")
  if [ -z "$python" ]; then
    echo "== Python $version is not here: skipped"
    return
  fi
  venv=.venv-compat-$version
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --upgrade "$@" hypothesis pytest pytest-timeout scikit-learn seqeval
  "$venv/bin/python" -m pip install --quiet --editable .
  "$venv/bin/python" -c 'import datasets, sys; print("== Python", sys.version.split()[0], "datasets", datasets.__version__)'
  "$venv/bin/python" -m pytest -m "not slow" tests/loading tests/scoring
}

run 3.10 "datasets==3.6.0" "evaluate==0.4.6"
run 3.13 datasets evaluate
