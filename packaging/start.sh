#!/usr/bin/env bash
# From a fresh Debian 12 to the window: installs the dependencies, builds, simulates the demo and
# opens it. Without a display it prints the report and saves a picture of every view.
# usage: start.sh
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
take_arguments 0 "$@"

install_dependencies program
build release tilescope tilescope-gui
bin=$root/build/release/bin
out=$root/build/demo

say "Simulating the demo: ResNeXt-50 on one Mk2 IPU"
status=0
"$bin/tilescope" run "$root/resources/jobs/demo.json" -o "$out" || status=$?
# 1 means that the model does not fit, which is a result to look at.
[ "$status" -le 1 ] || exit "$status"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    say "Opening the window"
    exec "$bin/tilescope-gui" "$out/profile.pop"
fi

for section in memory liveness trace insights; do
    say "Report: $section"
    "$bin/tilescope" report "$out/profile.pop" "$section"
done
grabs=()
for view in summary insights memory liveness programs operations trace; do
    grabs+=(--grab "$view=$out/$view.png")
done
"$bin/tilescope-gui" "${grabs[@]}" "$out/profile.pop"
say "There is no display: pictures of the views are in $out"
