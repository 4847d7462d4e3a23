# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by checks that need a machine with nothing on it, after lib.sh: a Debian root made by debootstrap, which goes when the
# script ends. It reads the Debian mirror, the certificates and the pip configuration of this machine.
# QDIFF_BARE_SUITE=noble QDIFF_BARE_MIRROR=URL: a root of that suite of Ubuntu instead.

[ "$(id -u)" -eq 0 ] || die 3 "only root can make another root"
[ -n "$(command -v debootstrap)" ] || die 3 "install debootstrap first"

bare=$(mktemp -d)
chmod 755 "$bare" # its /, which an ordinary user in it has to enter
leave()
{
    umount -lR "$bare/dev" "$bare/proc" 2>/dev/null || true # also under a test that is interrupted and still runs there
    rm -rf --one-file-system "$bare" "$bare.log"
}
trap leave EXIT

fill_root()
{
    local file arguments
    arguments=("$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" "$(debian_mirror)")
    if [ -n "${QDIFF_BARE_SUITE-}" ]; then # Debian has no keys of Ubuntu's, and one script for all its suites
        arguments=(--no-check-gpg "--components=main,universe" "$QDIFF_BARE_SUITE" "$bare"
            "${QDIFF_BARE_MIRROR:?needs the mirror of $QDIFF_BARE_SUITE}" /usr/share/debootstrap/scripts/gutsy)
    fi
    debootstrap --variant=minbase --include=ca-certificates "${arguments[@]}"
    for file in /etc/resolv.conf /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
        [ ! -e "$file" ] || cp -L "$file" "$bare$file"
    done
    mount --rbind /dev "$bare/dev"
    mount --make-rslave "$bare/dev"
    mount -t proc proc "$bare/proc"
}

# make_root: Debian's minimal system at $bare, with this machine's way to the network.
make_root()
{
    fill_root >"$bare.log" 2>&1 || { tail -n 20 "$bare.log"; die 4 "no bare root"; }
}

# inside USER DIRECTORY COMMAND…: in that directory of the user's home in the root, with nothing of this environment but where
# certificates and packages are.
inside()
{
    local user=$1 directory=$2 home=/root keep
    shift 2
    [ "$user" = root ] || home=/home/$user
    mapfile -t keep < <(env | grep -E '^(PIP_(CERT|INDEX_URL)|SSL_CERT_FILE|https?_proxy)=' || true)
    # shellcheck disable=SC2016 # the inner shell expands it
    chroot --userspec="$user" "$bare" /usr/bin/env -i HOME="$home" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 "${keep[@]}" bash -c 'cd "$HOME/$0" && "$@"' "$directory" "$@"
}
