# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot list      the candidates: ID, kernel, series, devicetree, state
verb_list() {
  local dir id state
  parse_options "root quiet" "$@"
  DRY=yes
  find_system
  for dir in "$BASE"/*/; do
    [ -r "$dir/info" ] || continue
    id=$(basename "$dir")
    state=installed
    [ -r "$dir/entry.conf" ] || state=incomplete
    [ "$(environment_value next_entry)" != "panthor-lab-$id" ] || state=armed
    [ "$(running_entry)" != "$id" ] || state=running
    printf '%-24s %-28s %-20s %-34s %s\n' "$id" "$(field release <"$dir/info")" "$(field series <"$dir/info")" "$(field dtb <"$dir/entry.conf" 2>/dev/null)" "$state"
  done
}
