# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot remove ID      take a candidate away: entry first, then its files. What a .deb owns is left to the package manager.
verb_remove() {
  local id release
  parse_options "root dry-run quiet" "$@"
  [ "${#REST[@]}" -eq 1 ] || die "$EX_USAGE" "one candidate (panthor-boot list)"
  DRY=${OPT[dry-run]:-}
  id=${REST[0]}
  find_system
  [ -d "$BASE/$id" ] && [ -r "$BASE/$id/info" ] || refuse no-candidate "there is no candidate $id"
  [ "$(running_entry)" != "$id" ] || refuse in-use "$id is running"
  [ "$(environment_value next_entry)" != "panthor-lab-$id" ] || refuse in-use "$id is armed; panthor-boot disarm first"
  release=$(field release <"$BASE/$id/info")
  would "take the entry of $id out of grub.cfg, then remove $BASE/$id and $MODULES/$release" && return
  drop "$BASE/$id/entry.conf"
  # shellcheck disable=SC2046 # IDs have no blanks
  renew_config $(complete_candidates)
  if owned_by_package "$id"; then
    drop "$BASE/$id/initramfs.img" "$BASE/$id/local.sha256"
    say "$id is out of the boot menu; its files belong to a package: remove $(owned_by_package_name "$id") with apt"
    return
  fi
  drop "$BASE/$id" "$MODULES/$release"
  say "removed $id"
}

owned_by_package_name() { ! have_there dpkg-query || run_there dpkg-query -S "/boot/panthor-lab/$1/Image" 2>/dev/null | cut -d: -f1; }
owned_by_package() { [ -n "$(owned_by_package_name "$1")" ]; }
