#!/usr/bin/env bash
# Pictures of every report to look at: single and compared, light and dark, on a small and a large
# screen. Runs the example profiles, grabs each report, tab and mode, and makes an index.html and,
# where ImageMagick's montage is installed, contact sheets.
#
#   tests/checklist/pictures.sh [FOLDER] [SET...]
#
# FOLDER is build/pictures by default; SET is one of the names below, all by default. Profiles in
# FOLDER/profiles are kept and not run again.
#   THEMES="light dark" SIZES="1280x720 2560x1440" limit what is grabbed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=${1:-$root/build/pictures}
[ $# -gt 0 ] && shift
wanted=" $* "
bin=${TILESCOPE_BIN:-$root/build/release/bin}
jobs=$root/resources/jobs
read -ra themes <<<"${THEMES:-light dark}"
read -ra sizes <<<"${SIZES:-1280x720 2560x1440}"
profiles=$out/profiles
mkdir -p "$profiles"

# run NAME ARGS...: a profile, which may be of a model that does not fit (status 1).
run() {
    local name=$1 status=0
    shift
    [ -e "$profiles/$name/profile.pop" ] && return
    "$bin/tilescope" run "$@" -o "$profiles/$name" >"$profiles/$name.log" 2>&1 || status=$?
    [ "$status" -le 1 ] || {
        cat "$profiles/$name.log" >&2
        exit "$status"
    }
}

is_wanted() { [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; }

# grab SET PROFILES -- VIEWS...: a process for each theme and size.
grab() {
    local set=$1 files=() theme size view
    shift
    is_wanted "$set" || return 0
    while [ "$1" != -- ]; do
        files+=("$1")
        shift
    done
    shift
    for theme in "${themes[@]}"; do
        for size in "${sizes[@]}"; do
            local folder=$out/$theme-$size grabs=()
            mkdir -p "$folder"
            for view in "$@"; do
                grabs+=("$view=$folder/$set-${view//[:+]/-}.png")
            done
            "$bin/tilescope-gui" --size "$size" --theme "$theme" "${select[@]}" \
                --grab "${grabs[@]}" "${files[@]}"
        done
    done
    echo "$set: $# views"
}

reports=(summary insights memory liveness programs operations trace pipeline values compare query)
memory=(memory:variable-graph memory:tile-map memory:total-memory+by-category memory:variables memory:vertices
    memory:compute-sets memory:exchanges memory:address-map memory:addresses-over-time)
liveness=(liveness:always-live liveness:not-always-live liveness:vertices liveness:cycle-estimates
    liveness:tile-statistics liveness:variable)
operations=(operations:steps operations:code operations:graph operations:roofline operations:table+scopes-level-1
    operations:operation-types operations:poplibs-calls)
trace=(trace:flat trace:tiles-bsp trace:details trace:marks)
tabs=(compare:memory compare:cycles compare:plans compare:aligned compare:options
    compare:operations compare:variables compare:compute-sets compare:exchanges compare:vertices)
main=(summary insights memory liveness programs operations trace pipeline)
select=()

is_wanted screens && {
    run resnet50 "$jobs/resnet50.json"
    grab screens -- home preferences run help help:trace help:glossary palette
}
is_wanted sweep && {
    [ -e "$profiles/sweep/sweep.db" ] ||
        "$bin/tilescope" sweep "$jobs/plain_plus_transposed.json" \
            --vary availableMemoryProportion=0.2:0.6:0.2 --vary batchSize=1:2:1 \
            -o "$profiles/sweep" >"$profiles/sweep.log" 2>&1
    grab sweep "$profiles/sweep/sweep.db" -- sweep
}
is_wanted resnet50 && {
    run resnet50 "$jobs/resnet50.json"
    select=(--select "tile=100,step=100,variable=100,operation=20,program=200")
    grab resnet50 "$profiles/resnet50/profile.pop" -- \
        "${reports[@]}" "${memory[@]}" "${liveness[@]}" operations:measured-cycles "${operations[@]}" \
        "${trace[@]}"
    select=()
}
is_wanted resnext && {
    run before resnext50_32x4d --target mk2 --batch-size 32 --available-memory-proportion 0.8
    run after resnext50_32x4d --target mk2 --batch-size 32 --available-memory-proportion 0.2
    select=(--select "tile=16,step=102,variable=100,operation=20,program=200")
    grab resnext "$profiles/before/profile.pop" "$profiles/after/profile.pop" -- \
        "${reports[@]}" "${memory[@]}" "${liveness[@]}" liveness:separate "${operations[@]}" \
        "${trace[@]}" "${tabs[@]}"
    select=()
    grab outofmemory "$profiles/before/profile.pop" -- "${main[@]}" memory:tile-map
}
is_wanted pipelines && {
    run pipelined "$jobs/tutorial_pipelined.json"
    run sharded "$jobs/tutorial_sharded.json"
    grab pipelines "$profiles/pipelined/profile.pop" "$profiles/sharded/profile.pop" -- \
        "${main[@]}" memory:tile-map trace:flat trace:tiles-bsp trace:details compare
    grab pipelined "$profiles/pipelined/profile.pop" -- \
        "${main[@]}" pipeline:equal memory:tile-map trace:flat trace:tiles-bsp trace:flame+all-rows-in-sight
}
is_wanted copies && {
    run plain "$jobs/plain_plus_transposed.json"
    run transposed "$jobs/transposed_plus_plain.json"
    grab copies "$profiles/plain/profile.pop" "$profiles/transposed/profile.pop" -- \
        "${main[@]}" compare compare:cycles
}
is_wanted phased && {
    run phased "$jobs/tutorial_phased.json"
    grab phased "$profiles/phased/profile.pop" -- "${main[@]}" trace:tiles-bsp
}
is_wanted matmul && {
    run matmul "$jobs/matmul_out_of_memory.json"
    grab matmul "$profiles/matmul/profile.pop" -- "${main[@]}" memory:address-map
}
is_wanted values && {
    half=(--compute --data "$root/tests/data/mnist" "$jobs/tutorial_half.json")
    run half "${half[@]}"
    run scaled --loss-scaling 1024 "${half[@]}"
    run untrained mnist-tutorial --compute
    values=(values values:tensors:-underflow values:tensors:-typical-exponent
        values:learning-rate+loss-scale values:samples-of-the-tensor values:epochs values:updates)
    grab values "$profiles/half/profile.pop" -- insights "${values[@]}"
    grab values-two "$profiles/half/profile.pop" "$profiles/scaled/profile.pop" -- \
        insights compare "${values[@]}"
    grab values-of-one "$profiles/half/profile.pop" "$profiles/untrained/profile.pop" -- values
    grab inference "$profiles/untrained/profile.pop" -- values values:tensors:-zeros
}
is_wanted bert && {
    run bert bert-large --precision half --model-option sequenceLength=128 --model-option layers=2
    grab bert "$profiles/bert/profile.pop" -- "${main[@]}" operations:scopes-level-1 trace:tiles-bsp
}

index=$out/index.html
{
    echo '<!doctype html><meta charset="utf-8"><title>TileScope pictures</title>'
    echo '<style>body{font:14px sans-serif;background:#888}img{width:620px;margin:4px}</style>'
    for folder in "$out"/*-*x*/; do
        name=$(basename "$folder")
        echo "<h2>$name</h2>"
        for picture in "$folder"*.png; do
            file=$(basename "$picture")
            echo "<a href=\"$name/$file\"><img loading=lazy src=\"$name/$file\" title=\"$file\"></a>"
        done
    done
} >"$index"
if command -v montage >/dev/null; then
    mkdir -p "$out/sheets"
    for folder in "$out"/*-*x*/; do
        # Six at a time: more would not be legible, nor fit montage's memory.
        pictures=("$folder"*.png)
        for ((i = 0; i < ${#pictures[@]}; i += 6)); do
            montage -font "$(fc-match -f '%{file}' sans)" -label '%t' "${pictures[@]:i:6}" -tile 2x3 -geometry 1000x+6+6 \
                "$out/sheets/$(basename "$folder")-$(printf %02d $((i / 6))).png"
        done
    done
fi
echo "Look at $index"
