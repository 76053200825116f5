#!/usr/bin/env bash
# Builds a preset, or only some targets of it.
# usage: build.sh PRESET [TARGET...]
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
take_arguments 999 "$@"
[ $# -gt 0 ] || { usage >&2; exit 2; }
install_dependencies program
build "$@"
