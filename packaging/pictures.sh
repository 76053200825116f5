#!/usr/bin/env bash
# Makes the pictures of the README and the manual anew, 1280 x 720: those of the stories are saved by their tests, so
# that they show what was checked; three more are reports of the demo at two memory proportions, one is
# of transfers with and without overlap, and two of a run that stands in for a measured one, alone and beside a simulated one.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v convert >/dev/null || {
    echo "pictures.sh: ImageMagick makes the pictures small: apt-get install imagemagick" >&2
    exit 2
}
stories=(stories_out_of_memory_test stories_strided_copies_test stories_pipeline_test stories_lost_gradients_test
    stories_exchange_waits_test stories_bubbles_test stories_half_test stories_source_lines_test
    stories_slow_loader_test)
build release
bin=$root/build/release/bin
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

for story in "${stories[@]}"; do
    say "Pictures of $story"
    TILESCOPE_PICTURES=$out QT_QPA_PLATFORM=offscreen "$root/build/release/tests/stories_tests" "$story"
done

say "Pictures of the demo"
job=$root/resources/jobs/demo.json
# 1 means that the model does not fit, which is what the picture is about.
"$bin/tilescope" run "$job" -o "$out/before" || [ $? -eq 1 ]
"$bin/tilescope" run "$job" --available-memory-proportion 0.2 -o "$out/after"
"$bin/tilescope-gui" --size 1280x720 --grab "liveness=$out/liveness-two-runs.png" \
    "$out/before" "$out/after"
# Its first convolution is selected.
"$bin/tilescope-gui" --size 1280x720 --select operation=0 --grab "operations:graph=$out/graph-two-runs.png" \
    "$out/before" "$out/after"
"$bin/tilescope-gui" --size 1280x720 --theme dark --grab "trace=$out/trace-dark.png" "$out/after"

say "Pictures of I/O tiles"
for strategy in just-in-time overlap-loops; do
    "$bin/tilescope" run "$root/resources/jobs/resnet50_overlapped.json" --device-iterations 5 \
        --exchange-strategy "$strategy" -o "$out/$strategy"
done
"$bin/tilescope-gui" --size 1280x720 --grab "trace=$out/io-overlap.png" \
    "$out/just-in-time" "$out/overlap-loops"

say "Picture of a calibration"
# No measured profile is public. The stand-in is a simulation whose capture says that Poplar made it, with other times.
echo '{"base": "mk2", "constants": {"internalSyncCycles": 171, "hostBytesPerSecond": 3.9e9}}' >"$out/pod.json"
small=("$root/resources/jobs/tutorial_pipelined.json" --tiles-per-ipu 184)
"$bin/tilescope" run "${small[@]}" -o "$out/simulated"
"$bin/tilescope" run "${small[@]}" --target "$out/pod.json" -o "$out/pod"
PYTHONPATH=$root/build/release/python /usr/bin/python3 "$root/resources/capture/tilescope_capture.py" "$out/pod/profile.pop" \
    -o "$out/measured.capture"
sqlite3 "$out/measured.capture" "UPDATE info SET value = '3.3.0' WHERE key = 'poplar';
    UPDATE step_kinds SET span = NULL, cycles = CAST(cycles * (0.9 + 0.5 * (id * 7919 % 1000) * (id * 7919 % 1000) / 1e6)
        AS INTEGER) WHERE cycles > 20 AND type = 'OnTileExecute'"
"$bin/tilescope" import "$out/measured.capture" -o "$out/measured"
"$bin/tilescope-gui" --size 1280x720 --grab "compare:calibration=$out/calibration.png" "$out/simulated" "$out/measured"
"$bin/tilescope-gui" --size 1280x720 --grab "summary=$out/measured-summary.png" "$out/measured"

# A palette of 256 colours is what a window has, and a third of the bytes.
for picture in "$out"/*.png; do
    convert "$picture" -resize 1280x720 +dither -colors 256 -strip \
        -define png:compression-level=9 "PNG8:$root/resources/pictures/$(basename "$picture")"
done
ls -l "$root/resources/pictures"
