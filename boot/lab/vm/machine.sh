# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One made-up arm64 board: QEMU's virt machine without KVM, EDK2, GRUB, Debian; ssh over a forwarded port of the loopback interface, the
# serial console in a file, a watchdog, a power button. Needs VM_DIR (build_vm_disk).

# machine_new DIRECTORY: MACHINE, the directory of a board that is off; its disk.qcow2 is put there by the caller.
machine_new() {
  MACHINE=$1
  mkdir -p "$MACHINE"
  [ -e "$MACHINE/variables.fd" ] || cp --sparse=always "$VM_DIR/variables.fd" "$MACHINE/variables.fd"
}

# machine_arguments: what the board is made of. The devicetree of the firmware depends on it, so that there is one such list.
machine_arguments() {
  printf '%s\n' -M "virt,acpi=off,gic-version=3${1:-}" -cpu cortex-a72 -smp 2 -m 1024 -accel tcg,thread=multi \
    -display none -nodefaults -device virtio-rng-pci -device i6300esb -action watchdog=reset
}

# machine_devicetree FILE: the devicetree this board's firmware hands over.
machine_devicetree() {
  local -a arguments
  mapfile -t arguments < <(machine_arguments ",dumpdtb=$1")
  qemu-system-aarch64 "${arguments[@]}" >/dev/null 2>&1
  [ -s "$1" ]
}

# machine_disk: how QEMU sees the disk.
machine_disk() { printf 'driver=qcow2,node-name=disk,file.driver=file,file.filename=%s/disk.qcow2,file.cache.no-flush=on\n' "$MACHINE"; }

# machine_start [ARGUMENTS…]: power on. QEMU does not merge the disk's requests: one of IOV_MAX pieces fails under blklogwrites (power-cut),
# which adds its own.
machine_start() {
  local -a arguments
  local tries=0
  mapfile -t arguments < <(machine_arguments)
  rm -f "$MACHINE"/monitor.{in,out}
  mkfifo "$MACHINE"/monitor.{in,out}
  while :; do
    MACHINE_PORT=$((20000 + (RANDOM << 15 | RANDOM) % 12000))
    qemu-system-aarch64 "${arguments[@]}" -serial "file:$MACHINE/console" -monitor "pipe:$MACHINE/monitor" \
      -drive "if=pflash,format=raw,readonly=on,file=$VM_FIRMWARE/AAVMF_CODE.fd" -drive "if=pflash,format=raw,file=$MACHINE/variables.fd" \
      -blockdev "$(machine_disk)" -device virtio-blk-pci,drive=disk,request-merging=off \
      -netdev "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:$MACHINE_PORT-:22" -device virtio-net-pci,netdev=net,romfile= \
      "$@" >"$MACHINE/qemu.log" 2>&1 </dev/null 9>&- &
    MACHINE_PID=$!
    # Opened for both directions, so that neither end waits for the other.
    exec 7<>"$MACHINE/monitor.in" 6<>"$MACHINE/monitor.out"
    sleep 1
    ! kill -0 "$MACHINE_PID" 2>/dev/null || break
    tries=$((tries + 1))
    if [ "$tries" -eq 5 ] || ! grep -q 'Could not set up host forwarding' "$MACHINE/qemu.log"; then
      echo "QEMU does not start: $(head -n 1 "$MACHINE/qemu.log")" >&2
      return 1
    fi
  done
  printf 'Host board\n  HostName 127.0.0.1\n  Port %d\n  User root\n  IdentityFile %s/key\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n' \
    "$MACHINE_PORT" "$VM_DIR" >"$MACHINE/ssh.config"
}

# machine_monitor COMMAND: to QEMU's monitor. What it answers is thrown away, so that the pipe never fills.
machine_monitor() {
  printf '%s\n' "$1" >&7
  while read -r -t 0.2 -u 6 _; do :; done
}

# press_power_button: what a hand on the board's reset switch does.
press_power_button() { machine_monitor system_reset; }

# machine_off: cuts the power.
machine_off() {
  [ -n "${MACHINE_PID:-}" ] || return 0
  kill "$MACHINE_PID" 2>/dev/null || true
  wait "$MACHINE_PID" 2>/dev/null || true
  MACHINE_PID=
  exec 6>&- 7>&-
}

# machine_wait_off SECONDS: until it has switched itself off.
machine_wait_off() {
  local left=$1
  while kill -0 "$MACHINE_PID" 2>/dev/null; do
    [ "$left" -gt 0 ] || return 1
    left=$((left - 1))
    sleep 1
  done
  machine_off
}

# board COMMAND: on the board, as root, over ssh.
board() { timeout "${BOARD_SECONDS:-600}" ssh -F "$MACHINE/ssh.config" -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=10 -o ServerAliveCountMax=6 board "$1" </dev/null; }

# board_receives FILE PATH, board_gives PATH FILE
board_receives() { ssh -F "$MACHINE/ssh.config" -o BatchMode=yes board "cat >$2" <"$1"; }

# machine_wait_boot OLD-BOOT-ID SECONDS: until another boot answers. BOOT_ID, BOOT_KERNEL and BOOT_ARGUMENTS tell which.
machine_wait_boot() {
  local end=$((SECONDS + $2)) seen
  while [ "$SECONDS" -lt "$end" ]; do
    if seen=$(BOARD_SECONDS=60 board 'cat /proc/sys/kernel/random/boot_id; uname -r; cat /proc/cmdline' 2>/dev/null); then
      BOOT_ID=$(sed -n 1p <<<"$seen") BOOT_KERNEL=$(sed -n 2p <<<"$seen") BOOT_ARGUMENTS=$(sed -n 3p <<<"$seen")
      [ "$BOOT_ID" = "$1" ] || return 0
    fi
    kill -0 "$MACHINE_PID" 2>/dev/null || { echo "QEMU ended: $(tail -n 1 "$MACHINE/qemu.log")" >&2 && return 1; }
    sleep 2
  done
  echo "no boot in $2 s; the console ends with: $(tail -n 1 "$MACHINE/console" | tr -dc '[:print:]')" >&2
  return 1
}

# machine_save: the running board, for any number of copies: memory in $MACHINE/memory, the disk as it is now. It is off then. It is not
# stopped before: a copy goes on in the state it was saved in.
machine_save() {
  machine_monitor "migrate \"exec:zstd -1 -q -f -o $MACHINE/memory\""
  machine_monitor quit
  machine_wait_off 120
}

# machine_copy OF DIRECTORY: a saved board goes on in DIRECTORY, with a disk of its own over the saved one.
machine_copy() {
  cp --sparse=always "$1/variables.fd" "$1/console" "$(mkdir -p "$2" && echo "$2")/"
  qemu-img create -q -f qcow2 -F qcow2 -b "$1/disk.qcow2" "$2/disk.qcow2"
  machine_new "$2"
  machine_start -incoming "exec:zstd -dcq $1/memory"
}
