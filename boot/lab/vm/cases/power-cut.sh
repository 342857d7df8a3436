# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034 # read by play_case
#: full: the power goes at over 100 points of install, rehearse and arm, as the disk saw them; some of these disks are booted
fresh=yes
POINTS=120

# shellcheck source=boot/grub/lib/resolver.sh
. "$LAB_ROOT/boot/grub/lib/resolver.sh"

# Everything that reaches the disk is written down in order.
machine_disk() {
  : >>"$MACHINE/writes"
  printf 'driver=blklogwrites,node-name=disk,file.driver=qcow2,file.file.driver=file,file.file.filename=%s/disk.qcow2,log.driver=file,log.filename=%s/writes\n' "$MACHINE" "$MACHINE"
}

# written: how far that has come.
written() { board sync && stat -c %s "$MACHINE/writes"; }

play() {
  local dir=$MACHINE from
  mkdir -p "$dir/arm"
  give_candidate
  from=$(written)
  panthor_boot install "/root/$VM_ID.tar.zst" && expect_done
  panthor_boot rehearse && expect_done
  cut_power "$VM_DIR" "$from" $((POINTS * 3 / 4))
  boot_kept "$dir" again
  copy_board "$1" "$dir/arm"
  from=$(written)
  panthor_boot arm "$VM_ID" && expect_done
  panthor_boot disarm && expect_done
  cut_power "$1" "$from" $((POINTS / 4))
  boot_kept "$dir/arm"
  cat "$dir/verdicts" "$dir/arm/verdicts" >"$dir/all"
  [ "$(grep -c . "$dir/all")" -ge 100 ] || wrong "only $(grep -c . "$dir/all") points"
  cut -f 3- "$dir/all" | sort | uniq -c
  ! grep -q WRONG "$dir/all" || wrong "$(grep -c WRONG "$dir/all") of $(grep -c . "$dir/all") points: $(grep -m1 WRONG "$dir/all")"
  good "the default boots after a power cut at each of $(grep -c . "$dir/all") points; $(printf '%s\n' "$dir"/{,arm/}kept-*/ | wc -l) of them were booted"
}

# cut_power BEFORE FROM COUNT: switches the board off and cuts the power of the disk it began with at COUNT points behind byte FROM of
# what was written.
cut_power() {
  board "cd / && sha256sum boot/vmlinuz-* boot/initrd.img-* boot/panthor-lab/$VM_ID/Image boot/panthor-lab/$VM_ID/dtbs/*.dtb boot/panthor-lab/$VM_ID/initramfs.img" | sed 's,  ,  /,' >"$MACHINE/sums"
  board 'cat /boot/grub/grub.cfg' >"$MACHINE/first.cfg"
  GRUB_ENV=/dev/null GRUB_DIR='' resolver "$MACHINE/first.cfg" mode=body >"$MACHINE/default.body"
  machine_off
  qemu-img convert -O raw "$1/disk.qcow2" "$MACHINE/disk.raw"
  g++ -std=c++20 -O1 -o "$MACHINE/replay-writes" "$LAB_ROOT/boot/lab/vm/replay-writes.cpp"
  export BOOTROOT
  "$MACHINE/replay-writes" "$MACHINE/writes" "$MACHINE/disk.raw" "$2" "$(stat -c %s "$MACHINE/writes")" "$3" \
    "$LAB_ROOT/boot/lab/vm/judge-disk.sh" "$MACHINE" "$MACHINE/disk.raw" || true
  rm "$MACHINE/disk.raw"
}

# boot_kept DIRECTORY [again]: each kept disk boots what was foretold, tells its story, and has the default behind it. "again": what was
# cut can be installed again.
boot_kept() {
  local disk name
  for disk in "$1"/kept-*.raw; do
    name=$(basename "$disk" .raw)
    machine_new "$1/$name"
    qemu-img create -q -f qcow2 -F raw -b "$disk" "$MACHINE/disk.qcow2"
    machine_start
    machine_wait_boot none "$BOOT_SECONDS" || wrong "$name does not boot"
    case $name in
      *-candidate)
        [ "$BOOT_KERNEL" != "$DEFAULT" ] || wrong "$name boots the default"
        wait_for_verdict && reboot_board && wait_for_default
        ;;
      *) [ "$BOOT_KERNEL" = "$DEFAULT" ] || wrong "$name boots $BOOT_KERNEL" ;;
    esac
    panthor_boot status
    [ "$STATUS" -le 1 ] || wrong "$name: status ends with $STATUS"
    if [ -n "${2:-}" ] && [ -z "$(armed_entry)" ]; then
      panthor_boot install "/root/$VM_ID.tar.zst"
      [ "$STATUS" -eq 0 ] || expect_refused exists
    fi
    machine_off
    rm "$MACHINE"/{disk.qcow2,variables.fd,writes} "$disk"
    good "$name boots"
  done
}
