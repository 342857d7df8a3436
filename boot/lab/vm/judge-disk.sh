#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the board would boot from a disk whose power was cut. replay-writes calls it for each point:
#
#   judge-disk.sh DIRECTORY IMAGE POINT FATE
#
# DIRECTORY has default.body and sums (boot/tests/support/judge-disk.bash), and takes "verdicts" and, of every KEEP_EVERY-th point, the disk
# as kept-POINT-FATE-NEXT.raw.
set -euo pipefail
LAB_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../../.." && pwd -P)
# shellcheck source=boot/tests/support/judge-disk.bash
. "$LAB_ROOT/boot/tests/support/judge-disk.bash"
JUDGE_DIR=$1 JUDGE_PLACE='(loop0,gpt2)' JUDGE_HOME=/boot/grub
dd if="$2" of="$1/replayed" bs=1M skip=65 count=2048 conv=sparse status=none
seen=$(judge_disk "$2" "$1/replayed" | paste -sd'\t')
rm "$1/replayed"
printf '%s\t%s\t%s\n' "$3" "$4" "$seen" | tee -a "$1/verdicts"
case $seen in *WRONG*) exit 1 ;; esac
# No multiple of the number of fates, so that the kept disks have all of them.
KEEP_EVERY=17
[ $(($(wc -l <"$1/verdicts") % KEEP_EVERY)) -ne 0 ] || cp --sparse=always "$2" "$1/kept-$3-$4-${seen%%$'\t'*}.raw"
