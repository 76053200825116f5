# Shared by start.sh, test.sh and deb.sh: sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CCACHE_BASEDIR=$root

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
build() {
    local preset=$1
    shift
    say "Building ($preset)"
    (cd "$root" && cmake --preset "$preset" ${1:+-DTILESCOPE_TESTS=OFF} >/dev/null &&
        cmake --build --preset "$preset" ${1:+--target "$@"})
}
