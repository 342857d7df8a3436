#!/bin/sh
# SPDX-License-Identifier: MIT
# Upstream's IGT binaries under KASAN, lockdep and UBSAN.
# lab: variant=debug timeout=300
set -eu
exec sh "$(dirname "$0")/../guest/upstream.sh"
