#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A page of ./lab hang-matrix --html in a headless Chromium (Debian: chromium): it asks for no other file, the browser has no complaint, and
# each case has a timeline that is drawn. Usage: boot/lab/checks/hang-page.sh PAGE.html. Not part of ./lab test, which installs no browser.
set -euo pipefail
page=$(realpath -e -- "${1:?usage: hang-page.sh PAGE.html}")
command -v chromium >/dev/null || { echo 'chromium is not installed' && exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*" && exit 1; }

# browse FILE: its document after everything in it ran; what the browser said is in $scratch/said.
browse() {
  timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
    --host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --log-level=0 --dump-dom "file://$1" 2>"$scratch/said"
}

browse "$page" >"$scratch/document"
! grep -E 'CONSOLE|net::ERR' "$scratch/said" || fail 'the browser complains'
! grep -oE '(src|href)=.*|<script.*|url\(.*' "$scratch/document" || fail 'the page asks for another file'

# Only a browser knows what it draws: a script at the end of a copy asks it.
cp "$page" "$scratch/copy.html"
cat >>"$scratch/copy.html" <<'END'
<script>
const cases = [...document.querySelectorAll("tr.case")];
const drawn = cases.filter(row => {
  const bar = row.querySelector("svg rect");
  const box = bar?.getBoundingClientRect();
  return box && box.width >= 2 && box.height >= 10 && getComputedStyle(bar).fill !== "rgb(0, 0, 0)";
});
document.title = `drawn: ${drawn.length} of ${cases.length}`;
</script>
END
drawn=$(browse "$scratch/copy.html" | grep -o '<title>drawn: [0-9]* of [0-9]*' | sed 's/<title>drawn: //')
[ -n "$drawn" ] || fail 'the browser did not answer'
[ "${drawn% of *}" = "${drawn#* of }" ] && [ "${drawn% of *}" -gt 0 ] || fail "timelines drawn: $drawn"
echo "timelines drawn: $drawn"
