#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The fragments for boards, merged over arm64's defconfig of a real kernel tree (KERNEL_TREE, from ./lab test): every required symbol is
# there, and a lost one is named.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../lab/tests/support/helper.bash"

[ -n "${KERNEL_TREE:-}" ] || { echo "needs a kernel tree (./lab test --only boot)" && exit 77; }
load_library
choose_compiler
[ "$CROSS" = '' ] || have "${CROSS}gcc" || echo "note: no ${CROSS}gcc here: options that depend on the compiler are those of $(gcc -dumpmachine)"
for set in rk3588 'rk3588 panthor-debug' a1 plain; do
  files=()
  for name in $set; do files+=("$LAB_ROOT/configs/$name.config"); done
  configure_arm64 "$KERNEL_TREE" "$SCRATCH/out" defconfig "${files[@]}" >"$SCRATCH/log" 2>&1 || fail "$set: $(tail -n 3 "$SCRATCH/log")"
  check_fragments "$SCRATCH/out/.config" "${files[@]}" || fail "$set: a required symbol was lost"
  echo "ok: $set"
done

# A fragment that takes a required symbol away again is found out.
printf '# CONFIG_PCI is not set\n' >"$SCRATCH/spoil.config"
configure_arm64 "$KERNEL_TREE" "$SCRATCH/out" defconfig "$LAB_ROOT/configs/rk3588.config" "$SCRATCH/spoil.config" >"$SCRATCH/log" 2>&1
! check_fragments "$SCRATCH/out/.config" "$LAB_ROOT/configs/rk3588.config" 2>"$SCRATCH/err" || fail "the loss of PCI was not noticed"
grep -q 'CONFIG_BLK_DEV_NVME=y was lost.*the root disk' "$SCRATCH/err" || fail "not named: $(cat "$SCRATCH/err")"

# Every fragment for boards has its list, every list gives reasons.
for name in rk3588 panthor-debug a1 plain; do
  [ -r "$LAB_ROOT/configs/$name.config" ] || fail "no $name.config"
  ! awk '/^CONFIG_/ && NF < 2' "$LAB_ROOT/configs/$name.required" | grep . || fail "$name.required: a symbol without a reason"
done
