#!/usr/bin/env bash
# Installs the dependencies, builds everything and runs all tests.
# usage: test.sh [PRESET]   (release, dev, asan or tsan; release if not given)
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
take_arguments 1 "$@"
preset=${1:-release}

install_dependencies program python machines tests package
build "$preset"
say "Testing ($preset)"
cd "$root"
ctest --preset "$preset"
