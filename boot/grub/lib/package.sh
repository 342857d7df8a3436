# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What build-kernel made: boot/panthor-lab/ID/ (Image, dtbs/, config, info, SHA256SUMS, modules.sha256, dtbs.list) and
# usr/lib/modules/RELEASE/, as a tarball, as a tree, or put in place by a .deb.

# open_package SOURCE: sets PACKAGE (the tree that holds boot/ and usr/, $ROOT itself if a .deb put it in place) and ID.
open_package() {
  local source=$1 candidates
  if [ -f "$source" ]; then
    # Beside the modules: /boot may be a FAT file system, which cannot hold modes and links.
    PACKAGE=$MODULES/.panthor-lab-unpacked
    UNPACKED=$PACKAGE # removed on the way out, whatever happens
    case $source in *.zst) have zstd || refuse no-tool "zstd, which $source is packed with" ;; esac
    drop "$PACKAGE"
    mkdir -p "$PACKAGE"
    tar -x --no-same-owner -f "$source" -C "$PACKAGE" 2>"$WORK/tar.log" ||
      refuse not-a-package "$source cannot be unpacked: $(tail -n 1 "$WORK/tar.log")"
  elif [ -d "$source/boot/panthor-lab" ]; then
    PACKAGE=$(cd "$source" && pwd)
  elif [ -d "$BASE/$source" ] && [ "$source" = "$(basename "$source")" ]; then
    PACKAGE=$ROOT
    ID=$source
  else
    refuse not-a-package "$source is neither a package file, nor a tree of one, nor an ID in $BASE"
  fi
  if [ "$PACKAGE" != "$ROOT" ]; then
    candidates=$(cd "$PACKAGE/boot/panthor-lab" 2>/dev/null && ls)
    [ -n "$candidates" ] && [ "$(wc -l <<<"$candidates")" -eq 1 ] || refuse not-a-package "$source has no single directory in boot/panthor-lab"
    ID=$candidates
  fi
  case $ID in '' | default | .* | *[!A-Za-z0-9._+-]*) refuse not-a-package "\"$ID\" cannot be an ID (letters, digits, . _ + -)" ;; esac
  RELEASE=$(field release <"$PACKAGE/boot/panthor-lab/$ID/info" 2>/dev/null) || RELEASE=
  case $RELEASE in '' | *[!A-Za-z0-9._+~-]*) refuse not-a-package "$source: its info names no kernel release" ;; esac
  check_package "$source"
}

# check_package NAME: every file is there with its hash.
check_package() {
  local dir=$PACKAGE/boot/panthor-lab/$ID
  sums_good "$dir" "$dir/SHA256SUMS" 'Image' && sums_good "$dir" "$dir/SHA256SUMS" '.*' ||
    refuse not-a-package "$1: $BAD_FILE of boot/panthor-lab/$ID is missing, or does not have the hash of its SHA256SUMS"
  sums_good "$PACKAGE/usr/lib/modules/$RELEASE" "$dir/modules.sha256" '.*' ||
    refuse not-a-package "$1: $BAD_FILE of the modules of $RELEASE is missing, or does not have the hash of modules.sha256"
}

# board_compatible: the running board's root "compatible", one a line.
board_compatible() { tr '\0' '\n' <"$ROOT/sys/firmware/devicetree/base/compatible" 2>/dev/null; }

# choose_devicetree [NAME]: the devicetree of the package for this very board, as dtbs/FILE. The board is never guessed: the first, most
# specific compatible string must be the same.
choose_devicetree() {
  local dir=$PACKAGE/boot/panthor-lab/$ID board found
  if [ -n "${1:-}" ]; then
    [ -s "$dir/dtbs/$1" ] || refuse no-board "the package has no devicetree $1 (it has: $(awk '{ print $1 }' "$dir/dtbs.list" | paste -sd' '))"
    DTB=dtbs/$1
    return
  fi
  board=$(board_compatible | head -n 1)
  [ -n "$board" ] || refuse no-board "this system names no board (/sys/firmware/devicetree/base/compatible); say which devicetree with --dtb"
  found=$(awk -v board="$board" '$2 == board { print $1 }' "$dir/dtbs.list")
  [ -n "$found" ] ||
    refuse no-board "no devicetree of the package is for $board; name one with --dtb if you know it fits (for the same chip: $(awk -v chip="$(board_compatible | tail -n 1)" 'index($0, chip) { print $1 }' "$dir/dtbs.list" | paste -sd' '))"
  [ "$(wc -l <<<"$found")" -eq 1 ] || refuse no-board "several devicetrees are for $board: $(paste -sd' ' <<<"$found"); choose one with --dtb"
  DTB=dtbs/$found
}

# place_package: the package's trees under their names, modules first; nothing refers to them yet.
place_package() {
  if [ "$PACKAGE" = "$ROOT" ]; then return; fi
  drop "$MODULES/.panthor-lab-incoming" "$BASE/.incoming"
  mkdir -p "$MODULES"
  cp -a -- "$PACKAGE/usr/lib/modules/$RELEASE" "$MODULES/.panthor-lab-incoming" || refuse write "the modules could not be copied"
  cp -r -- "$PACKAGE/boot/panthor-lab/$ID" "$BASE/.incoming" || refuse write "the package could not be copied"
  move "$MODULES/.panthor-lab-incoming" "$MODULES/$RELEASE"
  move "$BASE/.incoming" "$BASE/$ID"
  [ -z "$UNPACKED" ] || drop "$UNPACKED"
  PACKAGE=$ROOT
}
