#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The mirror comes from the machine's own apt sources, whatever their form.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
. /etc/os-release
etc=$SCRATCH/etc
export PANTHOR_LAB_APT_ETC=$etc
sources() { rm -rf "$etc" && mkdir -p "$etc/sources.list.d"; }

sources
cat >"$etc/sources.list" <<EOF
# deb http://commented.example/debian $VERSION_CODENAME main
deb-src http://source.example/debian $VERSION_CODENAME main
deb [arch=amd64 signed-by=/k.gpg] http://classic.example/debian/ $VERSION_CODENAME main contrib # why
EOF
expect_equal http://classic.example/debian/ "$(debian_mirror)" "a one-line file with options"

sources
cat >"$etc/sources.list.d/a.sources" <<EOF
Types: deb
URIs: http://vendor.example/debian/12/prod
Suites: $VERSION_CODENAME
Components: main

Enabled: no
Types: deb
URIs: http://disabled.example/debian
Suites: $VERSION_CODENAME
Components: main

Types: deb deb-src
# a comment
URIs: http://modern.example/debian
Suites: $VERSION_CODENAME
 $VERSION_CODENAME-updates
Components: main non-free-firmware
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 main
EOF
expect_equal http://modern.example/debian "$(debian_mirror)" "a deb822 file with several stanzas"

sources
echo "deb http://tools.example/linux/debian $VERSION_CODENAME stable" >"$etc/sources.list.d/docker.list"
expect_equal "" "$(debian_mirror)" "an archive without main is not Debian's"
PANTHOR_LAB_MIRROR=http://mine.example/debian
expect_equal http://mine.example/debian "$(debian_mirror)" "PANTHOR_LAB_MIRROR overrides"
case $(apt_source_line sid) in *check-valid-until=no*) ;; *) fail "sid may be stale" ;; esac
case $(apt_source_line trixie-backports) in *check-valid-until*) fail "only forky and sid may be stale" ;; esac
case $(apt_source_line sid) in *trusted* | *allow-insecure*) fail "signatures are always verified" ;; *signed-by=*) ;; *) fail "no keyring" ;; esac
