#!/usr/bin/env bash
# Tries a package in a clean Debian 12: installs it, runs both programs, removes it, and compares the files before and
# after. Needs root, debootstrap and a Debian mirror; takes about five minutes,
# with --python and its PyTorch twice that.
# usage: check_deb.sh FILE.deb [--python FILE.deb] [--root DIR] [--mirror URL] [--pictures DIR]
#   --python FILE   tries the package of the Python modules too
#   --root DIR      copies this clean root (debootstrap --variant=minbase bookworm DIR) instead of making one
#   --pictures DIR  keeps the pictures that were taken
set -euo pipefail
suite=bookworm
mirror=http://deb.debian.org/debian
pristine='' pictures='' package='' python=''

usage() { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
    case $1 in
        --python) python=${2:?--python needs a file}; shift ;;
        --root) pristine=${2:?--root needs a directory}; shift ;;
        --mirror) mirror=${2:?--mirror needs a URL}; shift ;;
        --pictures) pictures=${2:?--pictures needs a directory}; shift ;;
        -*) usage ;;
        *) package=$1 ;;
    esac
    shift
done
[ -f "$package" ] || usage
[ -z "$python" ] || [ -f "$python" ] || usage
[ "$(id -u)" -eq 0 ] || { echo "check_deb.sh: a root file system can only be made by root" >&2; exit 2; }

work=$(mktemp -d /tmp/check_deb.XXXXXX)
root=$work/root
tries=/tmp/try # in the root: all that an ordinary user writes there

# What is mounted in the root is mounted in a namespace of its own, which ends with the command. Should a mount be seen
# here nevertheless, nothing is deleted: it may be the machine's own /dev.
remove_work() {
    if grep -qF " $work" /proc/mounts; then
        echo "check_deb.sh: $work has mounts; unmount them and remove it" >&2
    else
        rm -rf --one-file-system "$work"
    fi
}
trap remove_work EXIT

# inside COMMAND...: as root, in the clean root; processes that it leaves behind are ended with it. The shell stays as
# process 1: a child of that would not be told by Xvfb that it is ready.
inside() {
    unshare --mount --pid --fork --kill-child "${isolation[@]}" \
        bash -c 'mount -t proc proc "$0/proc" && chroot "$0" /usr/bin/env -i "$@"; exit $?' "$root" \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=$tries "$@"
}
isolation=()
# user COMMAND...: as an ordinary user, and without any network.
user() {
    local isolation=(--net)
    inside setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs "$@"
}

failures=0
# check TEXT COMMAND...: notes whether COMMAND succeeds.
check() {
    local text=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $text"
    else
        echo "FAILED  $text"
        sed 's/^/        /' "$work/log" | tail -n 20
        failures=$((failures + 1))
    fi
}
# prints TEXT COMMAND...: whether COMMAND prints exactly TEXT.
prints() {
    local wanted=$1 got
    shift
    got=$("$@") || return
    [ "$got" = "$wanted" ] || { echo "printed '$got' instead of '$wanted'"; return 1; }
}
empty() { ! grep . "$1"; }
# picture VIEW: takes it; a window without its fonts or plots makes a much smaller file than this.
picture() {
    user tilescope-gui --grab "$1=$tries/$1.png" $tries/out/profile.pop &&
        find "$root$tries/$1.png" -size +20k | grep .
}

install_package() { inside apt-get install -q -y --no-install-recommends /tmp/package.deb; }
install_python() { inside apt-get install -q -y --no-install-recommends /tmp/python.deb; }
purge_package() { inside dpkg --purge tilescope; }
# Every file of the root, without what records the work of the package manager, and man's index, which is made anew at
# times of its own (list_mentions looks into it).
list_files() {
    inside find / -xdev \( -path /proc -o -path /tmp -o -path /var/log -o -path /var/lib/apt -o -path /var/cache/apt \
        -o -path /var/cache/man -o -path '/var/lib/dpkg/*-old' \) -prune -o -print | sort
}
# Files that name the product, among those that programs read.
list_mentions() {
    inside find / -xdev -iname '*tilescope*' -not -path '/tmp/*' -not -path '/proc/*'
    inside grep -rIil --exclude='*-old' tilescope /etc /usr /opt /root /home /var/lib /var/cache || true
}

# manual PAGE: it is found, whole, and typeset without a warning.
manual() {
    user sh -c "man --warnings $1 2>$tries/warnings >$tries/$1.txt"
    empty "$root$tries/warnings" && grep -Eq 'EXIT STATUS|SEE ALSO' "$root$tries/$1.txt"
}

window_opens() {
    user xvfb-run -a -s "-screen 0 1280x720x24" bash /tmp/window.sh
}
# Waits for the window, reads what a desktop would, and closes it as a user would.
window_script() {
    cat <<'SCRIPT'
set -eu
cd "$HOME"
timeout 120 tilescope-gui out/profile.pop &
program=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --classname tilescope-gui | head -1)
xprop -id "$window" WM_CLASS | tee class
grep -q "\"$(sed -n 's/^StartupWMClass=//p' /usr/share/applications/tilescope.desktop)\"" class
timeout 60 sh -c "until xdotool getwindowname $window | grep resnet50; do sleep 0.2; done"
xwininfo -root -tree | grep resnet50
xwd -root -silent -out window.xwd
xdotool windowfocus --sync "$window" key ctrl+q
wait $program
SCRIPT
}

if [ -n "$pristine" ]; then
    echo "== Copying $pristine"
    cp -a "$pristine" "$root"
else
    echo "== Making a clean root"
    unshare --mount debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" ||
        { tail -n 20 "$work/log" >&2; exit 1; }
fi
[ ! -f /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp "$package" "$root/tmp/package.deb"
install -d -o 1000 -g 1000 "$root$tries"
version=$(dpkg-deb -f "$package" Version)
inside apt-get update -q >/dev/null

echo "== With nothing but what the package depends on"
check "apt installs it" install_package
check "tilescope --version" prints "TileScope $version" user tilescope --version
check "tilescope-gui --version" prints "tilescope-gui $version" user tilescope-gui --version
check "tilescope run resnet50" user tilescope run resnet50 -o $tries/out
check "it fits" user sh -c "tilescope info $tries/out/profile.pop | tee /dev/stderr | grep -q '^Fits *yes'"
check "an installed job" user tilescope run /usr/share/tilescope/jobs/resnet50_pipelined.json -o $tries/job
for view in summary memory trace; do
    check "picture of $view" picture $view
done
check "purge" purge_package

echo "== On a desktop"
inside apt-get install -q -y --no-install-recommends xvfb xauth xdotool x11-utils x11-apps desktop-file-utils \
    hicolor-icon-theme shared-mime-info xdg-utils libfile-mimeinfo-perl man-db >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 1; }
list_files >"$work/before"
check "apt installs it again" install_package
check "desktop entry" inside desktop-file-validate /usr/share/applications/tilescope.desktop
cp "$root$tries/out/profile.pop" "$root$tries/unnamed" || true # else its check fails
for file in out/profile.pop unnamed; do
    check "type of $file" prints application/x-tilescope-profile user xdg-mime query filetype $tries/$file
done
check "program of the type" prints tilescope.desktop user xdg-mime query default application/x-tilescope-profile
for page in "$root"/usr/share/man/man1/tilescope*.gz; do
    page=$(basename "$page" .1.gz)
    check "man $page" manual "$page"
done
window_script >"$root/tmp/window.sh"
check "the window opens and closes" window_opens

echo "== After purge"
check "purge" purge_package
list_files >"$work/after"
diff "$work/before" "$work/after" >"$work/differences" || true
check "the same files as before" empty "$work/differences"
list_mentions >"$work/mentions"
check "nothing names it" empty "$work/mentions"

if [ -n "$python" ]; then
    echo "== In Python"
    cp "$python" "$root/tmp/python.deb"
    inside apt-get install -q -y --no-install-recommends python3 python3-numpy >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" >&2; exit 1; }
    list_files >"$work/before"
    check "apt installs it" install_python
    check "pva opens a profile" prints 1472 user python3 -c \
        "import pva; print(len(pva.openReport('$tries/out/profile.pop').compilation.tiles))"
    check "tilescope makes a report" prints list user python3 -c \
        "import tilescope; print(type(tilescope.open('$tries/out/profile.pop').operations()).__name__)"
    check "poptorch says what it needs" prints "poptorch needs PyTorch: install python3-torch, or torch 1.13 by pip" user python3 -c \
        "exec('try: import poptorch\nexcept ImportError as error: print(error)')"
    check "popart says what it needs" prints "popart needs ONNX: install python3-onnx, or onnx by pip" user python3 -c \
        "exec('try: import popart\nexcept ImportError as error: print(error)')"
    check "purge" inside dpkg --purge python3-tilescope
    list_files >"$work/after"
    diff "$work/before" "$work/after" >"$work/differences" || true
    check "the same files as before" empty "$work/differences"
    echo "== In Python with PyTorch and ONNX"
    inside apt-get install -q -y --no-install-recommends python3-torch python3-onnx >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" >&2; exit 1; }
    check "apt installs it" install_python
    check "poprun" user poprun --help
    check "pva and poptorch" user python3 -c "import pva, poptorch"
    check "poptorch computes" prints "(1, 2)" user python3 -c \
        "import torch, poptorch; print(tuple(poptorch.inferenceModel(torch.nn.Linear(4, 2))(torch.ones(1, 4)).shape))"
    check "popart builds" prints "Relu:0" user python3 -c \
        "import popart; b = popart.Builder(); print(b.aiOnnx.relu([b.addInputTensor('FLOAT', [2])]))"
    check "purge" inside dpkg --purge python3-tilescope
fi

if [ -n "$pictures" ]; then
    mkdir -p "$pictures"
    cp "$root$tries"/*.png "$root$tries"/*.xwd "$pictures" || true # a failed check leaves none
fi
echo "== $failures failed"
[ "$failures" -eq 0 ]
