# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot install PACKAGE|ID [--dtb FILE] [--add-arguments ARGUMENTS]
#:
#: PACKAGE is a tarball of build-kernel or the tree of one; ID is what its .deb has put into /boot/panthor-lab.
#: Everything goes into /boot/panthor-lab/ID and /usr/lib/modules/RELEASE. Root arguments are copied from the running kernel, vendor
#: arguments are not; --add-arguments adds some ("console=ttyS2,1500000"). The devicetree must be for this very board, or be named.
#: What an interrupted installation left is completed by running it again. The default entry stays the default: that is proved first.
verb_install() {
  parse_options "root dry-run quiet dtb add-arguments" "$@"
  [ "${#REST[@]}" -eq 1 ] || die "$EX_USAGE" "one package or ID (panthor-boot help install)"
  DRY=${OPT[dry-run]:-}
  find_system
  check_chain
  check_unattended "$GRUB_CFG"
  check_default_files "$GRUB_CFG"
  if [ -n "$DRY" ] && [ -f "${REST[0]}" ]; then
    would "unpack ${REST[0]} into $BASE, prove that the default stays, add an entry for it"
    return
  fi
  [ -n "$DRY" ] || mkdir -p "$BASE"
  open_package "${REST[0]}"
  if installed_without_entry; then
    would "add the entry panthor-lab-$ID, which an interrupted installation left out" || renew_clone
    return
  fi
  check_free_names
  choose_devicetree "${OPT[dtb]:-}"
  ARGUMENTS=$(candidate_arguments "$ID" "${OPT[add-arguments]:-}") || exit
  if [ -n "$DRY" ]; then
    would "put it into $BASE/$ID and $MODULES/$RELEASE, and make its initramfs with $(initramfs_tool)"
    would "add the entry panthor-lab-$ID: devicetree $DTB, arguments $ARGUMENTS"
    generate_config
    prove_default "$GRUB_CFG" "$WORK/grub.cfg"
    would "put a generated grub.cfg in place; the default stays \"$(judge "$GRUB_CFG" mode=default | field title)\""
    return
  fi
  # Twice the package: while it is unpacked it lies beside what is there; and an initramfs.
  need_room "$BASE" $(($(du -sm "$PACKAGE/boot/panthor-lab/$ID" | cut -f1) + 100)) "the candidate"
  need_room "$(dirname "$MODULES")" $(($(du -sm "$PACKAGE/usr/lib/modules/$RELEASE" | cut -f1) + 20)) "its modules"
  place_package
  run_there depmod "$RELEASE" || refuse modules "depmod $RELEASE failed"
  flush_tree "$MODULES/$RELEASE"
  make_initramfs "$RELEASE" "$BASE/$ID/initramfs.img"
  (cd "$BASE/$ID" && sha256sum initramfs.img) | put "$BASE/$ID/local.sha256"
  printf 'title=%s\nimage=Image\ndtb=%s\ninitramfs=initramfs.img\narguments=%s\n' \
    "panthor-lab $ID (Linux $RELEASE)" "$DTB" "$ARGUMENTS" | put "$BASE/$ID/entry.conf"
  put_service
  # From here on grub.cfg may name it; a refusal takes the entry back.
  (renew_clone) || {
    status=$?
    drop "$BASE/$ID/entry.conf"
    exit "$status"
  }
  say "installed $ID: Linux $RELEASE, $DTB; next: panthor-boot rehearse, then panthor-boot arm $ID"
}

# installed_without_entry: the same package is completely there, but grub.cfg does not know it yet.
installed_without_entry() {
  local found
  [ -e "$BASE/$ID/entry.conf" ] && cmp -s "$BASE/$ID/SHA256SUMS" "$PACKAGE/boot/panthor-lab/$ID/SHA256SUMS" || return 1
  found=$(judge "$GRUB_CFG" mode=default next_="panthor-lab-$ID") || exit
  [ "$(field id <<<"$found")" != "panthor-lab-$ID" ]
}

# check_free_names: the ID is new, or an installation of the same package that was cut; the release belongs to no other kernel.
check_free_names() {
  local other
  [ ! -e "$BASE/$ID/entry.conf" ] || refuse exists "candidate $ID is installed already (panthor-boot remove $ID first)"
  for other in "$BASE"/*/info; do
    [ -r "$other" ] && [ "$other" != "$BASE/$ID/info" ] && [ "$(field release <"$other")" = "$RELEASE" ] || continue
    refuse exists "candidate $(basename "$(dirname "$other")") has the same kernel version $RELEASE"
  done
  if [ "$PACKAGE" != "$ROOT" ] && [ -d "$MODULES/$RELEASE" ]; then
    # A cut installation left modules that are exactly the package's; anything else belongs to someone else.
    sums_good "$MODULES/$RELEASE" "$PACKAGE/boot/panthor-lab/$ID/modules.sha256" '.*' ||
      refuse exists "$MODULES/$RELEASE exists and is not this package's"
    [ -n "$DRY" ] || drop "$MODULES/$RELEASE"
  fi
  [ "$PACKAGE" = "$ROOT" ] || [ -n "$DRY" ] || drop "$BASE/$ID"
}
