#!/bin/sh
# SPDX-License-Identifier: MIT
# The KUnit tests of the kernel series "heap", which ran when the driver was loaded.
# lab: variant=kunit series=heap timeout=120
set -eu
for suite in 'panthor_va_heap: pass:6' 'panthor_scratch: pass:4'; do
  dmesg | grep -F "# $suite fail:0 skip:0" || { echo "not in the kernel log: $suite" && exit 1; }
done
