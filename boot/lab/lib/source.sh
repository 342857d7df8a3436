# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Kernel sources: a base named in kernel-patches/bases, or a tree or tarball the user names. After resolve_source:
#   SRC_TREE  the tree to build from          SRC_KEY      cache key of its content (of its path for a named tree)
#   SRC_BASE  v7.2 …                          SRC_VERSION  7.2.12 …
#   SRC_FROM  where it came from, one line    SRC_STATE    changes when the content changes
#   SRC_PANTHOR  manifest of the pristine driver, "SHA256  path" a line

readonly PANTHOR_DIR=drivers/gpu/drm/panthor

# panthor_manifest TREE: SHA-256 of each source file of the driver under test, sorted.
panthor_manifest() { (cd "$1" && find "$PANTHOR_DIR" -type f \( -name '*.[ch]' -o -name Makefile -o -name Kconfig \) | LC_ALL=C sort | xargs sha256sum); }

# base_names: the bases there are.
base_names() { (cd "$LAB_ROOT/kernel-patches/bases" && ls); }

# default_base: the one used when nothing is asked for.
default_base() {
  local name
  for name in $(base_names); do
    [ "$(config_value "$LAB_ROOT/kernel-patches/bases/$name" default)" != yes ] || printf '%s\n' "$name"
  done
}

# tree_version TREE: "7.2.12" from the top of its Makefile; nothing if it is no kernel tree.
tree_version() {
  [ -r "$1/Makefile" ] || return 0
  awk -F' *= *' '
    $1 == "VERSION" { v = $2 } $1 == "PATCHLEVEL" { p = $2 } $1 == "SUBLEVEL" { s = $2 } $1 == "EXTRAVERSION" { e = $2 }
    NR > 8 { exit } END { if (v != "" && p != "") printf "%s.%s.%s%s\n", v, p, s == "" ? 0 : s, e }' "$1/Makefile"
}

# check_tree TREE NAME: dies unless it is a kernel tree with panthor; prints its base (v7.2).
check_tree() {
  local version
  version=$(tree_version "$1")
  [ -n "$version" ] || die "$EX_SOURCE" "$2 is not a Linux source tree"
  [ -d "$1/$PANTHOR_DIR" ] || die "$EX_SOURCE" "$2 (Linux $version) has no $PANTHOR_DIR"
  printf 'v%s\n' "$(printf '%s' "$version" | cut -d. -f1,2)"
}

# unpack_source PARTIAL FORMAT FILE: unpacks a kernel tarball, or the one inside a linux-source package, to PARTIAL/linux.
unpack_source() {
  remove_tree "$1" && mkdir -p "$1/linux" || return 1
  case $2 in
    deb) dpkg-deb --fsys-tarfile "$3" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | tar -xJ --strip-components=1 -C "$1/linux" ;;
    tar) tar -xf "$3" --strip-components=1 -C "$1/linux" ;;
  esac &&
    panthor_manifest "$1/linux" >"$1/panthor.manifest"
}

# source_from_archive FORMAT FILE SHA256: the tree of an archive, unpacked once.
source_from_archive() {
  local dir
  SRC_KEY=$(printf '%s' "$3" | cut -c1-16)
  dir=$LAB_CACHE/sources/$SRC_KEY
  if [ ! -e "$dir/panthor.manifest" ]; then
    need_space "$LAB_CACHE" 2600 "a kernel source tree"
    step "unpacking $(basename "$2")" "$LAB_CACHE/logs/unpack-$SRC_KEY.log" unpack_source "$dir.partial" "$1" "$2" ||
      die "$EX_CORRUPT" "$2 could not be unpacked"
    printf 'archive=%s\nsha256=%s\n' "$(basename "$2")" "$3" >"$dir.partial/info"
    publish "$dir.partial" "$dir"
  fi
  SRC_TREE=$dir/linux
  SRC_PANTHOR=$dir/panthor.manifest
  SRC_STATE=$3
}

# fetch_base BASEFILE: finds the newest version on the mirror, fetches it, records what was found in sources/NAME.resolved.
fetch_base() {
  local name package version deb suites
  name=$(config_value "$1" name)
  package=$(config_value "$1" package)
  suites=$(config_value "$1" suites)
  say "looking for the newest $package"
  # shellcheck disable=SC2086 # a list of suites
  apt_update $suites
  version=$(apt_newest "$package")
  [ -n "$version" ] || die "$EX_NETWORK" "$package is in none of: $suites (name a tree with --source)"
  deb=$(apt_download "$package" "$version")
  mkdir -p "$LAB_CACHE/sources"
  printf 'package=%s\nversion=%s\nfile=%s\nsha256=%s\n' "$package" "$version" "$(basename "$deb")" "$(cat "$deb.sha256")" >"$LAB_CACHE/sources/$name.resolved.partial"
  mv -f "$LAB_CACHE/sources/$name.resolved.partial" "$LAB_CACHE/sources/$name.resolved"
}

# source_from_base NAME: the tree of a base; what was resolved once is kept until ./lab kernel update.
source_from_base() {
  local file=$LAB_ROOT/kernel-patches/bases/$1 resolved=$LAB_CACHE/sources/$1.resolved deb sum
  [ -r "$file" ] || die "$EX_USAGE" "no base $1 (there are: $(base_names | tr '\n' ' '))"
  [ "$(config_value "$file" obtain)" = package ] ||
    die "$EX_USAGE" "base $1 is not packaged: give a tree or $(config_value "$file" tarball) (or git tag $(config_value "$file" git_tag)) with --source"
  [ -r "$resolved" ] || cache_locked apt fetch_base "$file"
  sum=$(config_value "$resolved" sha256)
  deb=$LAB_CACHE/downloads/$(config_value "$resolved" file)
  if [ ! -e "$LAB_CACHE/sources/$(printf '%s' "$sum" | cut -c1-16)/panthor.manifest" ] && ! archive_intact "$deb" "$sum"; then
    warn "$(basename "$deb") in the cache is missing or corrupted: fetching it again"
    rm -f "$deb"
    cache_locked apt fetch_base "$file"
    sum=$(config_value "$resolved" sha256)
    deb=$LAB_CACHE/downloads/$(config_value "$resolved" file)
  fi
  SRC_FROM="$(config_value "$resolved" package) $(config_value "$resolved" version), sha256 $sum"
  source_from_archive deb "$deb" "$sum"
}

# archive_intact FILE SHA256
archive_intact() { [ -e "$1" ] && [ "$(file_sha256 "$1")" = "$2" ]; }

# tree_state TREE: changes when any file of a named tree changes (names, sizes, times).
tree_state() {
  (cd "$1" && find . -name .git -prune -o \( -name '*.[oa]' -o -name '*.cmd' \) -prune -o -type f -printf '%P %s %T@\n') | LC_ALL=C sort | hash_text
}

# source_from_tree DIRECTORY: a tree of the user's, built from where it is (nothing is written into it).
source_from_tree() {
  SRC_TREE=$(cd "$1" && pwd -P)
  [ ! -e "$SRC_TREE/.config" ] && [ ! -e "$SRC_TREE/include/config" ] ||
    die "$EX_SOURCE" "$1 was built in place, kbuild refuses it as a source: run make mrproper there, or name a clean tree"
  SRC_KEY=tree-$(printf '%s' "$SRC_TREE" | hash_text)
  SRC_STATE=$(tree_state "$SRC_TREE")
  SRC_FROM="tree $SRC_TREE"
  SRC_PANTHOR=$LAB_CACHE/sources/$SRC_KEY.manifest
  mkdir -p "$LAB_CACHE/sources"
  panthor_manifest "$SRC_TREE" >"$SRC_PANTHOR"
}

# resolve_source: sets the SRC_ variables from the options.
resolve_source() {
  local named=${OPT[source]:-} base=${OPT[base]:-} sum
  if [ -z "$named" ]; then
    SRC_BASE=${base:-$(default_base)}
    source_from_base "$SRC_BASE"
  elif [ -d "$named" ]; then
    SRC_BASE=$(check_tree "$named" "$named")
    source_from_tree "$named"
  elif [ -f "$named" ]; then
    sum=$(file_sha256 "$named")
    SRC_FROM="$(basename "$named"), sha256 $sum"
    case $named in *.deb) source_from_archive deb "$named" "$sum" ;; *) source_from_archive tar "$named" "$sum" ;; esac
    SRC_BASE=$(check_tree "$SRC_TREE" "$named")
  else
    die "$EX_SOURCE" "--source $named: no such directory or file"
  fi
  [ -z "$base" ] || [ "$base" = "$SRC_BASE" ] || die "$EX_SOURCE" "--source $named is $SRC_BASE, not $base"
  SRC_VERSION=$(tree_version "$SRC_TREE")
}
