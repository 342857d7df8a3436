#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest or on a board: igt.sh OUT [TESTS…]: igt_runner over upstream's panthor binaries and our own, results in
# OUT/runner; where there is no runner, the binaries themselves with their output in OUT/NAME.log. TESTS are BINARY or BINARY@SUBTEST patterns.
set -u
. "$(dirname "$0")/swap.sh"
out=$1
shift
# A machine that is set up has its own.
if [ -b /dev/ubda ]; then swap_on /dev/ubda || exit 98; fi
root=$(mktemp -d)
mkdir -p "$root/panthor"
for directory in ${IGT_DIRECTORIES:-/usr/libexec/igt-gpu-tools/panthor /usr/lib/igt-gpu-tools/panthor /igt-tests}; do
  for binary in "$directory"/panthor_*; do
    [ ! -x "$binary" ] || ln -sf "$binary" "$root/panthor/"
  done
done
binaries=$(cd "$root/panthor" && ls)
[ -n "$binaries" ] || exit 77
{
  echo TESTLIST
  for binary in $binaries; do echo "panthor/$binary"; done
  echo 'END TESTLIST'
} >"$root/test-list.txt"

status=0
if command -v igt_runner >/dev/null 2>&1; then
  for pattern in "$@"; do
    case $pattern in *@*) pattern="panthor/$pattern\$" ;; *) pattern="panthor/$pattern@" ;; esac
    patterns="${patterns:-} -t $pattern"
  done
  # Over its socket the runner takes pieces of a long run's own output for warnings of the tests.
  export IGT_RUNNER_DISABLE_SOCKET_COMMUNICATION=1
  # shellcheck disable=SC2086 # options
  igt_runner -o -m --piglit-style-dmesg --per-test-timeout 120 --overall-timeout 900 ${IGT_RUNNER_OPTIONS:-} ${patterns:-} "$root" "$out/runner" >"$out/runner.log" 2>&1 || status=$?
else
  for binary in $binaries; do
    wanted=
    [ $# -gt 0 ] || wanted=' '
    for pattern in "$@"; do
      case $pattern in
        "$binary") wanted=' ' ;;
        "$binary"@*) wanted="$wanted --run-subtest ${pattern#*@}" ;;
      esac
    done
    [ -n "$wanted" ] || continue
    # shellcheck disable=SC2086 # options
    "$root/panthor/$binary" $wanted >"$out/$binary.log" 2>&1 || status=1
  done
fi
rm -rf "$root"
exit $status
