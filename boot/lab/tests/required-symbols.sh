#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A symbol that the merge lost is named.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
printf 'CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_E=y\n' >"$SCRATCH/config"
printf '# why\nCONFIG_A=y  needed\nCONFIG_B=m  needed\nCONFIG_C=n  must be off\nCONFIG_D=n  unknown is off\n' >"$SCRATCH/good.required"
check_required "$SCRATCH/config" "$SCRATCH/good.required" || fail "all are there"
printf 'CONFIG_B=y  must be built in\nCONFIG_E=n  must be off\n' >"$SCRATCH/bad.required"
! check_required "$SCRATCH/config" "$SCRATCH/bad.required" 2>"$SCRATCH/err" || fail "two are lost"
grep -q 'CONFIG_B=y was lost.*must be built in' "$SCRATCH/err" || fail "CONFIG_B is not named"
grep -q 'CONFIG_E is on' "$SCRATCH/err" || fail "CONFIG_E is not named"
for fragment in $(awk '!/^#/ && NF { for (i = 2; i <= NF; i++) print $i }' "$LAB_ROOT/configs/variants.list" | sort -u); do
  [ -r "$LAB_ROOT/configs/$fragment.config" ] && [ -r "$LAB_ROOT/configs/$fragment.required" ] || fail "configs/$fragment.config or .required is missing"
done
