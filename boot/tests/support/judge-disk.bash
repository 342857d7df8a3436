# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a disk whose power was cut would boot, without booting it. The disk is looked at twice: as GRUB does, which does not replay the
# journal of ext4 (grub-fstest is GRUB's own reader), and as Linux does after it replayed it.
#
# JUDGE_DIR has default.body (of the default entry) and sums (sha256sum's lines, paths as in grub.cfg); JUDGE_PLACE is GRUB's name of the
# file system, JUDGE_HOME grub's directory in it.

grub_fstest() { "$BOOTROOT"/lib64/ld-linux-x86-64.so.2 --library-path "$BOOTROOT/usr/lib/x86_64-linux-gnu" "$BOOTROOT/usr/bin/grub-fstest" "$@" 2>/dev/null; }

# as_grub FILE PATH, as_linux FILE PATH: the content of PATH; FILE is the disk, or its file system with the journal replayed.
as_grub() { grub_fstest "$1" cat "$JUDGE_PLACE$2"; }
as_linux() { debugfs -R "cat $2" "$1" 2>/dev/null; }

# shellcheck source=boot/grub/lib/resolver.sh
. "$LAB_ROOT/boot/grub/lib/resolver.sh"
judge_resolve() { GRUB_ENV=$JUDGE_DIR/grubenv GRUB_DIR='' resolver "$JUDGE_DIR/grub.cfg" "$@"; }

# judge_boot READER FILE: what the next boot is: default, clone, candidate; or WRONG and why.
judge_boot() {
  local reader=$1 file=$2 id path
  { $reader "$file" "$JUDGE_HOME/grub.cfg" >"$JUDGE_DIR/grub.cfg" && $reader "$file" "$JUDGE_HOME/grubenv" >"$JUDGE_DIR/grubenv"; } || { echo "WRONG grub.cfg or grubenv cannot be read" && return; }
  [ "$(stat -c %s "$JUDGE_DIR/grubenv")" -eq 1024 ] || { echo "WRONG grubenv has $(stat -c %s "$JUDGE_DIR/grubenv") bytes" && return; }
  [ "$(judge_resolve mode=body 2>&1)" = "$(cat "$JUDGE_DIR/default.body")" ] || { echo "WRONG the default entry is another" && return; }
  id=$(judge_resolve mode=default next_=@environment | sed -n 's/^id=//p')
  # Every file of the entry is what was put there.
  while read -r path; do
    grep -qx "$($reader "$file" "$path" | sha256sum | cut -d' ' -f1)  $path" "$JUDGE_DIR/sums" || { echo "WRONG $id boots a $path that is not whole" && return; }
  done < <(judge_resolve mode=files next_=@environment | awk '/^(linux|initrd|devicetree)/ && NF > 1 { print $2 }')
  case $id in panthor-lab-default) echo clone ;; panthor-lab-*) echo candidate ;; *) echo default ;; esac
}

# judge_disk DISK FILE-SYSTEM: both views, tab-separated. FILE-SYSTEM, a copy of the one on the disk, is changed.
judge_disk() {
  local status=0
  judge_boot as_grub "$1"
  e2fsck -fp "$2" >"$JUDGE_DIR/e2fsck" 2>&1 || status=$?
  if [ "$status" -le 1 ]; then judge_boot as_linux "$2"; else echo "WRONG e2fsck ends with $status"; fi
}
