# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a kernel image says about itself, without booting it.

# image_plain FILE: the image, decompressed if it is gzip (arm64's Image.gz; an EFI zboot image is not opened).
image_plain() { if [ "$(od -An -tx1 -N2 "$1" | tr -d ' ')" = 1f8b ]; then zcat "$1"; else cat "$1"; fi; }

# image_release FILE: from its "Linux version", from the info of a candidate, or from its name.
image_release() {
  local release
  if [ -r "$(dirname "$1")/info" ]; then
    field release <"$(dirname "$1")/info"
    return
  fi
  release=$(image_plain "$1" | LC_ALL=C grep -a -m1 -o 'Linux version [^ ]*' | head -n 1 | cut -d' ' -f3) || release=
  [ -n "$release" ] || release=$(basename "$1" | sed -E 's/^(vmlinuz|vmlinux|kernel|Image)-?//')
  printf '%s\n' "$release"
}

# image_config FILE RELEASE: its configuration: a file beside it, or what CONFIG_IKCONFIG put into it.
image_config() {
  local file at
  [ -r "$(dirname "$1")/info" ] && [ -s "$(dirname "$1")/config" ] && cat "$(dirname "$1")/config" && return
  for file in "$ROOT/boot/config-$2" "$MODULES/$2/config"; do
    [ ! -s "$file" ] || { cat "$file" && return; }
  done
  image_plain "$1" >"$WORK/image"
  at=$(LC_ALL=C grep -abo -m1 IKCFG_ST "$WORK/image" | head -n 1 | cut -d: -f1) || at=
  [ -n "$at" ] || return 1
  # What follows the stream is not gzip; gzip says so after having written everything.
  { tail -c +$((at + 9)) "$WORK/image" | zcat 2>/dev/null || true; } | grep .
}
