# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The chain from firmware to kernel: what must be so before a candidate may be tried. Each check refuses with its reason.

# extlinux_label: the label of an extlinux.conf whose command line is the running one; nothing if none is.
extlinux_label() {
  local file running
  running=$(running_arguments | paste -sd' ')
  for file in "$ROOT/boot/extlinux/extlinux.conf" "$ROOT/extlinux/extlinux.conf"; do
    [ -r "$file" ] || continue
    awk -v running="$running" '
      tolower($1) == "label" { label = $2 }
      tolower($1) == "append" { sub(/^[ \t]*[^ \t]+[ \t]+/, ""); sub(/[ \t]+$/, ""); if ($0 == running) { print label; exit } }' "$file"
  done
}

# check_started_by_grub: GRUB names the image it loaded in the command line.
check_started_by_grub() {
  local label
  [ -z "$(running_argument BOOT_IMAGE)" ] || return 0
  label=$(extlinux_label)
  [ -z "$label" ] || refuse not-grub "U-Boot started this system through extlinux.conf (label $label); GRUB's configuration has no effect here"
  [ -d "$ROOT/sys/firmware/efi" ] || refuse not-grub "no EFI firmware and no BOOT_IMAGE= in the command line: GRUB did not start this kernel"
  refuse not-grub "the command line has no BOOT_IMAGE=: an EFI stub or systemd-boot started this kernel, not GRUB"
}

# note_stale_extlinux: said, because it misleads.
note_stale_extlinux() {
  [ ! -r "$ROOT/boot/extlinux/extlinux.conf" ] || say "note: /boot/extlinux/extlinux.conf is not what boots this system (GRUB does) and is left alone"
}

check_secure_boot() {
  local file state
  for file in "$ROOT"/sys/firmware/efi/efivars/SecureBoot-*; do
    [ -r "$file" ] || continue
    state=$(od -An -tu1 -j4 -N1 "$file" | tr -d ' ')
    [ "$state" != 1 ] || refuse secure-boot "GRUB's \"devicetree\" is refused under lockdown; switch Secure Boot off in the firmware's setup"
  done
}

check_device_tree() {
  [ ! -d "$ROOT/sys/firmware/devicetree/base" ] || return 0
  refuse acpi "this system runs on ACPI tables, panthor needs a devicetree: in the firmware's setup (edk2: Device Manager, Rockchip Platform Configuration, ACPI / Device Tree) choose the devicetree"
}

# check_unattended CONFIG: with superusers, an entry that is not --unrestricted asks for a password; nobody is there to type it.
check_unattended() {
  local found
  found=$(judge "$1" mode=default) || exit
  [ "$(field timeout <<<"$found")" != -1 ] || warn "note: GRUB's timeout is -1: at every boot, the default's too, someone must press Enter"
  [ -n "$(field superusers <<<"$found")" ] || return 0
  [ "$(field unrestricted <<<"$found")" = yes ] ||
    refuse superusers "superusers is set and the default entry \"$(field title <<<"$found")\" is not --unrestricted: no reboot comes back by itself"
  say "note: GRUB has superusers; the candidate's entry is --unrestricted, so it needs no password"
}

# check_next_entry CONFIG: a probe value must become the default and be cleared.
check_next_entry() {
  local found
  found=$(judge "$1" mode=default next_=panthor-lab-probe) || exit
  [ "$(field environment <<<"$found")" = whole ] || refuse environment "$GRUB_ENV is missing or damaged; make one: $(grub_tool editenv) ${GRUB_ENV#"$ROOT"} create"
  [ "$(field default <<<"$found")" = panthor-lab-probe ] && [ "$(field next_entry_cleared <<<"$found")" = yes ] ||
    refuse next-entry-ignored "${1#"$ROOT"} does not take next_entry and clear it (an old or hand-written configuration); $(grub_tool mkconfig) of GRUB 2.02 or newer writes one that does"
}

# unwritable_block: why GRUB itself cannot write the block; nothing if it should be able to.
unwritable_block() {
  local below type
  below=$(grub_abstraction "${GRUB_ENV#"$ROOT"}")
  type=$(grub_file_system "${GRUB_ENV#"$ROOT"}")
  case " $below " in *' lvm '* | *' diskfilter '* | *' mdraid'* | *' cryptodisk '* | *' luks'*) printf 'it lies on %s\n' "$below" && return ;; esac
  case $type in btrfs | zfs | squash4 | tarfs | cpiofs | iso9660 | f2fs) printf 'its file system is %s\n' "$type" ;; esac
}

# check_chain: everything about the machine that does not depend on a candidate.
check_chain() {
  check_device_tree
  check_started_by_grub
  check_secure_boot
  note_stale_extlinux
}

# check_one_shot: what has to hold before anything is booted once: the chain from firmware to GRUB, a story that is told to its end, and a
# default that boots by itself.
check_one_shot() {
  check_chain
  check_verdict
  settle_rehearsal
  check_nothing_pending
  check_unattended "$GRUB_CFG"
  check_default_files "$GRUB_CFG"
  check_next_entry "$GRUB_CFG"
}
