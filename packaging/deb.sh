#!/usr/bin/env bash
# Builds tilescope_VERSION_ARCHITECTURE.deb and python3-tilescope_VERSION_ARCHITECTURE.deb.
# usage: deb.sh [OUTPUT_DIR]   (build/deb if not given)
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
take_arguments 1 "$@"
output=$(realpath -m "${1:-$root/build/deb}")

install_dependencies program python package
build deb
say "Packing"
work=$root/build/deb/package
cmake -E rm -rf "$work"
cpack --config "$root/build/deb/CPackConfig.cmake" -B "$work"
mkdir -p "$output"
cp "$work"/*.deb "$output"
for package in "$work"/*.deb; do
    say "$output/$(basename "$package")"
done
