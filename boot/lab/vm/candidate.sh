# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The candidate of the made-up board: our kernel with all series, the rk3588 configuration and QEMU's devices, built and packaged by
# boot/build-kernel as for any board. After build_vm_candidate: VM_CANDIDATE (the directory of its packages).

readonly VM_ID=vm

# vm_candidate_arguments DTB: VM_ARGUMENTS, for build-kernel. DTB becomes the devicetree of the board.
vm_candidate_arguments() {
  machine_devicetree "$1" || die "$EX_LAB" "QEMU does not tell its devicetree"
  VM_ARGUMENTS=(--series all --config "rk3588,vm" --from-config /dev/null --id "$VM_ID" --dtb "$1")
}

# build_vm_candidate: builds unless these very inputs were built before.
build_vm_candidate() {
  local key
  declare -gA OPT=()
  resolve_source
  apply_series all
  key=$({ printf '%s\n' "$SRC_STATE" "$SERIES_KEY" "$(machine_arguments)" "$(declare -f vm_candidate_arguments)" && cat "$LAB_ROOT"/configs/{rk3588,vm}.config "$LAB_ROOT"/boot/build/*.sh; } | hash_text)
  VM_CANDIDATE=$LAB_CACHE/boards/vm-$key
  [ -e "$VM_CANDIDATE/$VM_ID.manifest" ] || cache_locked "candidate-$key" vm_candidate_unless_done
  touch "$VM_CANDIDATE" # clean goes by age of last use
}

vm_candidate_unless_done() {
  [ ! -e "$VM_CANDIDATE/$VM_ID.manifest" ] || return 0
  mkdir -p "$VM_CANDIDATE.partial"
  vm_candidate_arguments "$VM_CANDIDATE.partial/qemu-virt.dtb"
  "$LAB_ROOT/boot/build-kernel" "${VM_ARGUMENTS[@]}" --out "$VM_CANDIDATE.partial" || exit
  publish "$VM_CANDIDATE.partial" "$VM_CANDIDATE"
}
