# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab clean [--all]      free disk space
#:
#: Removes half-made things, old results, and kernel builds, guest roots, sysroots and user-space builds not used for 14 days.
#:   --all   the whole cache: packages, sources, builds, compiler cache
verb_clean() {
  local before path
  parse_options "all" "$@"
  before=$(du -sm "$LAB_CACHE" | cut -f1)
  refuse_while_in_use
  if [ -n "${OPT[all]:-}" ]; then
    for path in "$LAB_CACHE"/*; do
      case $path in */locks) ;; *) remove_tree "$path" ;; esac
    done
  else
    for path in "$LAB_CACHE"/*/*.partial "$LAB_CACHE"/downloads/partial.*; do
      [ ! -e "$path" ] || remove_tree "$path"
    done
    for path in kernels rootfs sysroot userspace results; do
      [ ! -d "$LAB_CACHE/$path" ] ||
        find "$LAB_CACHE/$path" -mindepth 1 -maxdepth 1 -type d -mtime +14 | while read -r path; do remove_tree "$path"; done
    done
  fi
  say "$LAB_CACHE: $before MiB before, $(du -sm "$LAB_CACHE" | cut -f1) MiB now"
}

# refuse_while_in_use: every lock of the cache must be free (guests hold locks/in-use).
refuse_while_in_use() {
  local path
  for path in "$LAB_CACHE"/locks/*; do
    [ -e "$path" ] || continue
    (flock -n 9) 9<"$path" || die "$EX_LAB" "another lab is using the cache ($(basename "$path")): end it first"
  done
}
