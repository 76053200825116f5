# Shared by start.sh, test.sh and deb.sh: sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CCACHE_BASEDIR=$root

# The comment at the beginning of the script that sources this.
usage() { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0"; }
# take_arguments MOST ARGUMENT...: prints the usage and ends if that is asked for, or if there are options, which no
# script here has, or too many arguments.
take_arguments() {
    local most=$1 argument
    shift
    for argument in "$@"; do
        case $argument in
            -h | --help) usage; exit 0 ;;
            -*) usage >&2; exit 2 ;;
        esac
    done
    [ $# -le "$most" ] || { usage >&2; exit 2; }
}

say() { printf '\n== %s\n' "$*"; }

# install_dependencies PART...: installs what is missing of these parts of dependencies.txt; does nothing if all is there.
install_dependencies() {
    local part package wanted=() missing=()
    for part in "$@"; do
        mapfile -t -O ${#wanted[@]} wanted < <(sed -n "/^\[$part\]/,/^$/{/^[a-z]/p}" "$root/packaging/dependencies.txt")
    done
    for package in "${wanted[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    local admin=()
    [ "$(id -u)" -eq 0 ] || admin=(sudo)
    "${admin[@]}" apt-get update -q
    "${admin[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: everything, or some programs, for which nothing that tests need has to be installed.
# TILESCOPE_TESTS_OF names a build whose compiled tests are linked instead of compiling them again.
build() {
    local preset=$1
    shift
    say "Building ($preset)"
    (cd "$root" && cmake --preset "$preset" ${1:+-DTILESCOPE_TESTS=OFF} \
        ${TILESCOPE_TESTS_OF:+"-DTILESCOPE_TESTS_OF=$TILESCOPE_TESTS_OF"} >/dev/null &&
        cmake --build --preset "$preset" ${1:+--target "$@"})
}
