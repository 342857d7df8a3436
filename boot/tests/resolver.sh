#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Which entry a value of "default" stands for: our reading of grub.cfg against GRUB itself (grub-emu) on the same files.
# shellcheck disable=SC2016 # the text is for another shell, or for GRUB
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

BOARD=$SCRATCH/board
mkdir -p "$BOARD"
cp -a "$BOOTROOT"/{bin,sbin,lib,dev} "$BOARD/" && cp -a "$BOOTROOT"/lib64 "$BOARD/" 2>/dev/null || true
cp -al "$BOOTROOT/usr" "$BOARD/" 2>/dev/null || cp -a "$BOOTROOT/usr" "$BOARD/"
mkdir -p "$BOARD/boot/grub" "$BOARD/tmp"

# grub_boots: the word after BOOTED that the entry GRUB takes prints. GRUB's own screen handling is around it.
grub_boots() { TERM=dumb timeout 60 chroot "$BOARD" grub-emu -d /boot/grub </dev/null 2>&1 | tr '\r' '\n' | sed -n 's/.*BOOTED:\([a-z0-9-]*\).*/\1/p' | head -n 1; }

# we_say: the same word, from the body of the entry we resolve to.
we_say() { resolve mode=body next_=@environment | sed -n 's/.*BOOTED:\([a-z0-9-]*\).*/\1/p' | head -n 1; }

# header VALUE: what Debian's 00_header makes of GRUB_DEFAULT.
header() {
  cat <<END
set timeout=0
if [ -s \$prefix/grubenv ]; then
  set have_grubenv=true
  load_env
fi
if [ "\${next_entry}" ] ; then
   set default="\${next_entry}"
   set next_entry=
   save_env next_entry
   set boot_once=true
else
   set default="$1"
fi
if [ x"\${feature_menuentry_id}" = xy ]; then
  menuentry_id_option="--id"
else
  menuentry_id_option=""
fi
export menuentry_id_option
function savedefault {
  if [ -z "\${boot_once}" ]; then saved_entry="\${chosen}"; save_env saved_entry; fi
}
END
}

entry() { printf "menuentry '%s' --class os \$menuentry_id_option '%s' {\n  echo BOOTED:%s\n  exit\n}\n" "$1" "$2" "$3"; }

menu() {
  entry 'Debian GNU/Linux' simple first
  printf "submenu 'Advanced options' \$menuentry_id_option 'advanced' {\n"
  entry 'Debian, with Linux 7' adv-7 advanced-one
  entry 'Debian, with Linux 6.1' adv-6 advanced-two
  printf "  submenu 'Deeper > still' --id deeper {\n"
  entry 'Deep one' deep-1 deep-one
  entry 'Deep two' deep-2 deep-two
  printf '  }\n}\n'
  printf 'if [ "$have_grubenv" = true -a ! "${nothing}" ]; then\n'
  entry 'BredOS Linux (mainline 7.0.0-rc3)' bred bredos
  printf 'elif true; then\n'
  entry 'never' never never
  printf 'fi\n'
  entry '7.0 by its title' seven seven
  printf "menuentry \"Double \\\\\"quoted\\\\\" \${grub_missing}title\" --unrestricted { echo BOOTED:double; exit; }\n"
  printf "for n in one two; do menuentry \"loop \$n\" --id loop-\$n { echo BOOTED:loop; exit; }; done\n"
  printf "function more {\n"
  entry 'by a function' func function
  printf "}\nmore # adds it\n"
  entry 'twice' twice twice-one
  entry 'twice' twice twice-two
}

# agree NEXT DEFAULT: both take the same entry, with next_entry as given.
agreed=0
agree() {
  local ours theirs
  { header "$2" && menu; } >"$BOARD/boot/grub/grub.cfg"
  there grub-editenv /boot/grub/grubenv create
  there grub-editenv /boot/grub/grubenv set saved_entry='Advanced options>adv-6'
  [ -z "$1" ] || there grub-editenv /boot/grub/grubenv set next_entry="$1"
  ours=$(we_say)
  theirs=$(grub_boots)
  [ -n "$theirs" ] || fail "GRUB booted nothing for default=$2"
  expect_equal "$theirs" "$ours" "default='$2' next_entry='$1' boots $theirs"
  agreed=$((agreed + 1))
}

for value in 0 1 2 3 4 5 6 7 8 9 10 11 99 -1 '' '1>1' '1>0' '1>2' '1>2>1' '1>7' '1>' '>' simple 'Debian GNU/Linux' advanced 'Advanced options' \
  'Advanced options>1' 'advanced>adv-6' 'advanced>Debian, with Linux 6.1' 'Advanced options>Debian, with Linux 7' 'advanced>deeper>deep-2' 'advanced>Deeper >> still>deep-2' \
  'advanced>nonsense' 'nonsense>adv-6' 'BredOS Linux (mainline 7.0.0-rc3)' 'bred' 'Bred' '7.0 by its title' '1 apple' '0x2' '02' '08' ' 2' 'seven' 'never' 'loop two' 'loop-one' \
  'by a function' 'func' 'twice' 'Double \"quoted\" title' 'simple>adv-6' '${saved_entry}' '${undefined}' 'debian gnu/linux'; do
  agree '' "$value"
done
for value in adv-6 'advanced>adv-6' '1>1' seven nonsense 3; do agree "$value" '0'; done
[ "$agreed" -ge 55 ] || fail "only $agreed values were compared"

# What GRUB does with a damaged block, and what we do.
{ header simple && menu; } >"$BOARD/boot/grub/grub.cfg"
: >"$BOARD/boot/grub/grubenv"
expect_equal "$(grub_boots)" "$(we_say)" "an empty grubenv"
printf 'next_entry=seven\n' >"$BOARD/boot/grub/grubenv"
expect_equal "$(grub_boots)" "$(we_say)" "a grubenv that is no block"
rm "$BOARD/boot/grub/grubenv"
expect_equal "$(grub_boots)" "$(we_say)" "no grubenv"

# An entry of custom.cfg, as 41_custom sources it.
there grub-editenv /boot/grub/grubenv create
{ header custom && menu && printf 'if [ -f  ${config_directory}/custom.cfg ]; then\n  source ${config_directory}/custom.cfg\nelif [ -z "${config_directory}" -a -f  $prefix/custom.cfg ]; then\n  source $prefix/custom.cfg\nfi\n'; } >"$BOARD/boot/grub/grub.cfg"
entry 'Custom' custom custom >"$BOARD/boot/grub/custom.cfg"
expect_equal custom "$(we_say)" "custom.cfg is read"
expect_equal "$(grub_boots)" "$(we_say)" "as GRUB does"

# What cannot be judged is said.
for line in 'while true; do true; done' 'configfile /other.cfg' 'source (hd0,1)/other.cfg' 'blscfg' 'menuentry x {'; do
  { header 0 && menu && printf '%s\n' "$line"; } >"$BOARD/boot/grub/grub.cfg"
  expect_exit 3 '.' resolve mode=default
done
