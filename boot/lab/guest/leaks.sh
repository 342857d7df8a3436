# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For scenarios on a kernel with kmemleak (Documentation/dev-tools/kmemleak.rst).

# no_leaks: ends the scenario if memory was allocated that nothing points to any more. An object may hide from one scan in a register, and
# a young one is not told: what two scans find, 10 s apart, is one.
no_leaks() {
  for scan in 1 2; do
    sleep 10
    echo scan >/sys/kernel/debug/kmemleak
  done
  leaks=$(cat /sys/kernel/debug/kmemleak)
  [ -z "$leaks" ] || { printf 'scan %s:\n%s\n' "$scan" "$leaks" && exit 1; }
}
