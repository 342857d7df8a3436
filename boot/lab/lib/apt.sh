# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A private apt root: packages of other suites of the mirror this machine already uses, without touching the system's lists.
# Signatures are always verified. Needs LAB_CACHE and common.sh; works as any user.

readonly DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Suites whose Release files may be older than their own Valid-Until on mirrors that are snapshots.
suite_may_be_stale() { case $1 in forky | sid) return 0 ;; *) return 1 ;; esac; }

# mirror_candidates: "URI SUITE" for each main archive in the machine's apt sources, deb822 and one-line files.
mirror_candidates() {
  local etc=${PANTHOR_LAB_APT_ETC:-/etc/apt} file
  for file in "$etc"/sources.list.d/*.sources; do
    [ -r "$file" ] || continue
    awk '
      function flush(   u, s, i, j) {
        if (types ~ /(^| )deb( |$)/ && enabled !~ /^(no|false|0)$/ && components ~ /(^| )main( |$)/) {
          split(uris, u, " "); split(suites, s, " ")
          for (i = 1; i in u; i++) for (j = 1; j in s; j++) print u[i], s[j]
        }
        types = uris = suites = components = enabled = field = ""
      }
      /^[ \t]*$/ { flush(); next }
      /^#/ { next }
      /^[ \t]/ { value = $0; sub(/^[ \t]+/, "", value); add(field, value); next }
      { field = tolower($0); sub(/:.*/, "", field); value = $0; sub(/^[^:]*:[ \t]*/, "", value); add(field, value) }
      function add(f, v) {
        if (f == "types") types = types " " v
        else if (f == "uris") uris = uris " " v
        else if (f == "suites") suites = suites " " v
        else if (f == "components") components = components " " v
        else if (f == "enabled") enabled = tolower(v)
      }
      END { flush() }' "$file"
  done
  for file in "$etc"/sources.list "$etc"/sources.list.d/*.list; do
    [ -r "$file" ] || continue
    sed -n 's/#.*//; s/^[ \t]*deb[ \t][ \t]*\(\[[^]]*\][ \t]*\)\{0,1\}//p' "$file" |
      awk '{ for (i = 3; i <= NF; i++) if ($i == "main") { print $1, $2; next } }'
  done
}

# debian_mirror: the URI other suites are fetched from: PANTHOR_LAB_MIRROR, or the archive this Debian itself comes from.
debian_mirror() {
  local codename
  if [ -n "${PANTHOR_LAB_MIRROR:-}" ]; then
    printf '%s\n' "$PANTHOR_LAB_MIRROR"
    return
  fi
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  mirror_candidates | awk -v code="$codename" '
    $2 == code || $2 ~ /^(stable|oldstable|testing|unstable|sid|trixie|forky|bookworm)$/ {
      if ($1 ~ /\/debian\/?$/) { best = $1; exit }
      if (first == "") first = $1
    }
    END { if (best != "") print best; else if (first != "") print first }'
}

# apt_private COMMAND ARGS…: apt-get or apt-cache inside the private root.
apt_private() {
  local program=$1
  shift
  "$program" -q -o Dir::Etc="$LAB_CACHE/apt/etc" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$LAB_CACHE/apt/etc/sources.list.d" \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o Dir::Etc::trustedparts=/dev/null \
    -o Dir::State="$LAB_CACHE/apt/state" -o Dir::State::status="$LAB_CACHE/apt/state/status" -o Dir::Cache="$LAB_CACHE/apt/cache" \
    -o APT::Architecture=amd64 -o APT::Architectures::=amd64 -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any \
    -o APT::Update::Post-Invoke::= -o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

# apt_source_line SUITE [ARCHITECTURE]: the line that gives a suite of the mirror, for apt and for mmdebstrap.
apt_source_line() {
  local mirror options="arch=${2:-amd64} signed-by=$DEBIAN_KEYRING"
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || die "$EX_NETWORK" "no Debian archive in this machine's apt sources; name one with PANTHOR_LAB_MIRROR=URI"
  ! suite_may_be_stale "$1" || options="$options check-valid-until=no"
  printf 'deb [%s] %s %s main non-free-firmware\n' "$options" "$mirror" "$1"
}

# apt_update SUITE…: makes the private root know exactly these suites, newly fetched.
apt_update() {
  local root=$LAB_CACHE/apt suite line log=$LAB_CACHE/logs/apt-update.log
  [ -r "$DEBIAN_KEYRING" ] || die "$EX_PACKAGES" "$DEBIAN_KEYRING is missing (package debian-archive-keyring)"
  mkdir -p "$root/etc/sources.list.d" "$root/state/lists/partial" "$root/cache/archives/partial"
  : >>"$root/state/status"
  rm -f "$root"/etc/sources.list.d/*
  for suite in "$@"; do
    line=$(apt_source_line "$suite")
    printf '%s\n' "$line" >"$root/etc/sources.list.d/$suite.list"
  done
  need_space "$root" 300 "package lists"
  if ! apt_private apt-get update >"$log" 2>&1; then
    grep -qiE 'signature|NO_PUBKEY|not signed' "$log" && die "$EX_CORRUPT" "the mirror's signature could not be verified: $(grep -iEm1 'signature|NO_PUBKEY|not signed' "$log")"
    die "$EX_NETWORK" "no network: the Debian mirror does not answer ($(grep -Eim1 'could not|temporary failure|unreachable|timed out' "$log" || tail -n 1 "$log"))"
  fi
}

# apt_newest PACKAGE: its newest version in the suites of the last apt_update; nothing if there is none.
apt_newest() {
  local newest='' version
  while read -r version; do
    if [ -z "$newest" ] || dpkg --compare-versions "$version" gt "$newest"; then newest=$version; fi
  done < <(apt_private apt-cache madison "$1" 2>/dev/null | awk -F'|' '$3 ~ /Packages/ { gsub(/ /, "", $2); print $2 }')
  printf '%s\n' "$newest"
}

# apt_download PACKAGE VERSION: fetches one package into downloads/, records the SHA-256 of the signed index beside it; prints its path.
apt_download() {
  local package=$1 version=$2 downloads=$LAB_CACHE/downloads uri name size sum partial
  read -r uri name size sum < <(apt_private apt-get download --print-uris "$package=$version" 2>/dev/null | tail -n 1) || true
  [ -n "${sum:-}" ] || die "$EX_NETWORK" "$package $version is not on the mirror"
  : "$uri"
  sum=${sum#SHA256:}
  mkdir -p "$downloads"
  if [ -e "$downloads/$name" ] && [ "$(file_sha256 "$downloads/$name")" = "$sum" ]; then
    printf '%s\n' "$sum" >"$downloads/$name.sha256"
    printf '%s\n' "$downloads/$name"
    return
  fi
  need_space "$downloads" $((size / 1048576 + 50)) "the download of $package"
  partial=$downloads/partial.$$
  remove_tree "$partial"
  mkdir -p "$partial"
  if ! (cd "$partial" && step "fetching $package $version ($((size / 1048576)) MiB)" "$LAB_CACHE/logs/download.log" apt_private apt-get download "$package=$version"); then
    remove_tree "$partial"
    die "$EX_NETWORK" "the download of $package $version failed"
  fi
  set -- "$partial"/*.deb
  if [ "$(file_sha256 "$1")" != "$sum" ]; then
    remove_tree "$partial"
    die "$EX_CORRUPT" "the download of $package $version does not have the SHA-256 of the signed index"
  fi
  mv -f -- "$1" "$downloads/$name"
  printf '%s\n' "$sum" >"$downloads/$name.sha256"
  remove_tree "$partial"
  printf '%s\n' "$downloads/$name"
}
