#!/bin/sh
# How long programs take to show as much data: tilescope-gui and sqlitebrowser the same profile,
# heaptrack_gui as many allocations as the profile has trace steps.
#   scale_pairs.sh BUILD PROFILE [STEPS]
# BUILD: the build folder. For each program it prints the time until its window is there, the time
# after which its picture no longer changes, and its peak resident memory; a picture each is kept in
# the current folder. Needs Xvfb, xdotool and ImageMagick; programs that are missing are left out.
set -eu
build=${1:?BUILD is missing}
profile=${2:?PROFILE is missing}
steps=${3:-10000000}
quiet_s=4      # a picture that has not changed for so long is complete
patience_s=180
work=$(mktemp -d)
display=:97
for tool in Xvfb xdotool import; do
    command -v $tool >/dev/null || { echo "scale_pairs: $tool is missing" >&2; exit 2; }
done
Xvfb $display -screen 0 1920x1080x24 -noreset >/dev/null 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -r "$work"' EXIT
export DISPLAY=$display XDG_CONFIG_HOME="$work/config" QT_QPA_PLATFORM=xcb
until xdotool getdisplaygeometry >/dev/null 2>&1; do sleep 0.1; done

now() { date +%s%N; }
seconds() { awk "BEGIN { printf \"%.2f s\", ($2 - $1) / 1e9 }"; }

# measure NAME COMMAND...
measure() {
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "$name: not installed"; return 0; }
    began=$(now)
    "$@" >"$work/output" 2>&1 &
    process=$!
    shown=
    picture=
    changed=$began
    while kill -0 $process 2>/dev/null; do
        at=$(now)
        [ $((at - began)) -lt $((patience_s * 1000000000)) ] || break
        if [ -z "$shown" ]; then
            xdotool search --onlyvisible --pid $process >/dev/null 2>&1 || { sleep 0.02; continue; }
            shown=$(now)
            changed=$shown
        fi
        before=$(now)
        next=$(import -window root -silent rgb:- | md5sum)
        if [ "$next" != "$picture" ]; then
            picture=$next
            changed=$before
        elif [ $((before - changed)) -gt $((quiet_s * 1000000000)) ]; then
            break
        fi
    done
    if ! kill -0 $process 2>/dev/null; then
        code=0
        wait $process || code=$?
        echo "$name: ended by itself with exit status $code"
        cat "$work/output"
        return 0
    fi
    memory=$(awk '/VmHWM/ { printf "%.0f MB", $2 * 1024 / 1e6 }' /proc/$process/status 2>/dev/null || true)
    import -window root -silent "$name.png"
    kill $process 2>/dev/null || true
    wait $process 2>/dev/null || true
    echo "$name: window after $(seconds "$began" "${shown:-$began}"), complete after $(seconds "$began" "$changed"), peak memory $memory"
}

for view in summary trace; do
    measure tilescope-$view "$build/bin/tilescope-gui" --view $view "$profile" # warms the cache
    measure tilescope-$view "$build/bin/tilescope-gui" --view $view "$profile"
done
measure sqlitebrowser sqlitebrowser -t trace_step_ipus "$profile"
measure sqlitebrowser sqlitebrowser -t trace_step_ipus "$profile"
if command -v heaptrack >/dev/null; then
    # It opens the window on what it recorded, which must not happen yet and fails without a display.
    QT_QPA_PLATFORM=none heaptrack -o "$work/events" "$build/bench/allocation_events" "$steps" \
        >/dev/null 2>&1 || true
    measure heaptrack_gui heaptrack_gui "$work"/events.*
    measure heaptrack_gui heaptrack_gui "$work"/events.*
else
    echo "heaptrack: not installed"
fi
