# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A rehearsal boots a clone of the default entry once. It shows that this GRUB reads next_entry and can clear it, and costs nothing:
# whatever happens, the default kernel boots. What was seen is kept per installation of GRUB.

readonly CLONE=panthor-lab-default

# grub_identity: changes when GRUB is installed anew: its images and modules, on the EFI system partition and in /boot.
grub_identity() {
  local dir
  {
    for dir in "$ROOT/boot/efi/EFI" "$ROOT/efi/EFI" "$ROOT/boot/EFI" "$ROOT/boot/firmware/EFI"; do
      [ -d "$dir" ] || continue
      find "$dir" -type f -iname '*.efi' -exec sha256sum {} +
    done
    find "$GRUB_DIR" -mindepth 2 -type f \( -name '*.efi' -o -name 'kernel.img' -o -name 'core.img' -o -name 'normal.mod' \) -exec sha256sum {} +
    printf '%s %s\n' "$GRUB_ENV" "$(grub_file_system "${GRUB_ENV#"$ROOT"}")"
  } 2>/dev/null | sed "s,  $ROOT/,  /," | LC_ALL=C sort | hash_text
}

# rehearsed: has one succeeded with this GRUB? rehearsal_failed: did the last one show that next_entry stays?
rehearsed() { grep -q "^$(grub_identity) passed " "$BASE/rehearsals" 2>/dev/null; }
rehearsal_failed() { grep "^$(grub_identity) " "$BASE/rehearsals" 2>/dev/null | tail -n 1 | grep -q ' stuck '; }

# record_rehearsal passed|stuck|ignored: adds a line.
record_rehearsal() {
  { cat "$BASE/rehearsals" 2>/dev/null || true; } |
    { cat && printf '%s %s %s\n' "$(grub_identity)" "$1" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"; } | put "$BASE/rehearsals"
}

# clone_default CONFIG: an entry that does what the default entry of CONFIG does, with one more kernel argument to know it by.
clone_default() {
  local found title body
  found=$(judge "$1" mode=default) || exit
  title=$(field title <<<"$found" | tr -d "'\\\\")
  body=$(judge "$1" mode=body entry=@default) || exit
  printf "menuentry 'panthor-lab: the default entry (%s)' --unrestricted --id %s {" "$title" "$CLONE"
  printf '%s\n}\n' "$body" | sed -E 's/^([ \t]*linux(16|efi)?[ \t]+[^ \t]+)/\1 panthor_lab.entry=default/'
}
