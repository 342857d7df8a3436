# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For scenarios on a kernel with kmemleak (configs/uml-stress.config).

# expect_no_leak: two scans, since an object has to be old enough; fails and shows what panthor lost.
expect_no_leak() {
  kmemleak=/sys/kernel/debug/kmemleak
  sleep 6 && echo scan >"$kmemleak"
  sleep 6 && echo scan >"$kmemleak"
  ! grep -q 'panthor' "$kmemleak" || { cat "$kmemleak" && echo "panthor lost memory" && exit 1; }
}
