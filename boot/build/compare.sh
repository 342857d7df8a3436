# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Are two builds the same, bit for bit?

# compare_builds DIRECTORY DIRECTORY: what build-kernel left there (--out). Each package, input and packaged file that differs is named.
compare_builds() {
  local file status=0
  while read -r file; do
    ! cmp -s "$1/$file" "$2/$file" || continue
    status=1
    printf 'DIFFERENT %s\n' "$file"
    case $file in *.manifest) { diff "$1/$file" "$2/$file" || true; } | sed -n 's/^[<>] /DIFFERENT   /p' ;; esac
  done < <(cd "$1" && find . "$2" -type f -printf '%f\n' | LC_ALL=C sort -u)
  [ "$status" -eq 0 ] || return 1
  printf 'the same in both builds: %d files in %d packages\n' "$(cat "$1"/*.manifest | grep -c '^result')" "$(find "$1" -type f ! -name '*.manifest' | wc -l)"
}
