#!/bin/sh
# Runs each fuzzer for SECONDS (600), two at a time; logs and findings lie in build/fuzz/found.
set -eu
seconds=${1:-600}
cd "$(dirname "$0")/../.."
found=build/fuzz/found
mkdir -p "$found"

fuzz() {
    name=$1
    shift
    mkdir -p "build/fuzz/corpus/$name"
    nice "build/fuzz/fuzz/${name}_fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=25 \
        -print_final_stats=1 -artifact_prefix="$found/${name}-" "$@" \
        "build/fuzz/corpus/$name" "build/fuzz/seeds/$name" >"$found/$name.log" 2>&1 ||
        echo "$name: stopped early, see $found/$name.log"
    tail -n 12 "$found/$name.log"
}

mkdir -p build/fuzz/seeds/names
fuzz tile_series & fuzz onnx_import -max_len=16384 & wait
fuzz job -dict=build/fuzz/seeds/job.dict & fuzz profile_reader -max_len=512 & wait
fuzz names -max_len=4096 & fuzz import -max_len=8192 & wait
