#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The power goes at every change of a file in install, rehearse, arm, disarm and remove. What was not fsynced is lost, and on GRUB's file
# system what no syncfs has put in its place. After each cut:
# the default entry is what it was and its files are whole, GRUB accepts grub.cfg and grubenv, whatever the next boot takes is whole,
# and doing it again ends well.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"
# shellcheck source=boot/tests/support/power-cut.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/power-cut.bash"

make_board_to_cut
default_body=$(resolve mode=body)
default_files=$(cd "$BOARD/boot" && sha256sum vmlinuz-* initrd.img-*)

# lose_unwritten: empties every file that was written and never flushed, under the name it has now. An fsync leaves a file's inode in the
# journal, which GRUB does not read.
lose_unwritten() {
  sed 's,/\./,/,g; s,//*,/,g; s, /lib/modules, /usr/lib/modules,g' "$SCRATCH/changes" | awk '
    $1 == "W" { dirty[substr($0, 3)] = 1 }
    $1 == "S" && !/^S \/boot\// { delete dirty[substr($0, 3)] }
    $1 == "A" { split("", dirty) }
    $1 == "R" {
      split(substr($0, 3), names, "\t")
      delete dirty[names[2]]
      for (path in dirty)
        if (path == names[1] || index(path, names[1] "/") == 1) moved[path] = names[2] substr(path, length(names[1]) + 1)
      for (path in moved) { delete dirty[path]; dirty[moved[path]] = 1 }
      split("", moved)
    }
    END { for (path in dirty) print path }' >"$SCRATCH/lost"
  while read -r path; do
    [ ! -f "$BOARD$path" ] || : >"$BOARD$path"
  done <"$SCRATCH/lost"
}

# check_after_cut: what must hold at any time.
check_after_cut() {
  local next id
  [ "$(resolve mode=body)" = "$default_body" ] || fail "$1: the default entry is another"
  [ "$(cd "$BOARD/boot" && sha256sum vmlinuz-* initrd.img-*)" = "$default_files" ] || fail "$1: a file of the default is damaged"
  there grub-script-check /boot/grub/grub.cfg || fail "$1: GRUB does not accept grub.cfg"
  next=$(there grub-editenv /boot/grub/grubenv list) || fail "$1: grubenv is damaged"
  [ "$(resolve mode=default | sed -n 's/^environment=//p')" = whole ] || fail "$1: grubenv is damaged"
  id=$(resolve mode=default next_=@environment | sed -n 's/^id=//p')
  case $next in
    '') [ "$id" = "$(resolve mode=default | sed -n 's/^id=//p')" ] || fail "$1: nothing is armed, yet $id boots" ;;
    next_entry=panthor-lab-default) [ "$id" = panthor-lab-default ] || fail "$1: the clone is armed, yet $id boots" ;;
    next_entry=panthor-lab-one)
      [ "$id" = panthor-lab-one ] || fail "$1: the candidate is armed, yet $id boots"
      (cd "$BOARD/boot/panthor-lab/one" && sha256sum --quiet -c SHA256SUMS local.sha256 && cd "$BOARD/usr/lib/modules/7.2.13-lab1" && sha256sum --quiet -c "$BOARD/boot/panthor-lab/one/modules.sha256") ||
        fail "$1: an armed candidate is not whole"
      ;;
    *) fail "$1: next_entry is $next" ;;
  esac
  # The distribution's own upgrade must work in any state we leave.
  there grub-mkconfig >"$SCRATCH/grub.cfg" 2>/dev/null || fail "$1: grub-mkconfig fails"
}

keep_all() { keep_board && cp -a "$BOARD/usr/lib/modules" "$SCRATCH/kept/"; }
restore_all() { restore_board && rm -rf "${BOARD:?}/usr/lib/modules" && cp -a "$SCRATCH/kept/modules" "$BOARD/usr/lib/"; }

# cuts COUNT VERB ARGS…: at COUNT of its changes, evenly (all of them with PANTHOR_LAB_CUTS=all); then the verb is done to its end.
points=0
cuts() {
  local total at step wanted=$1
  shift
  keep_all
  cut_at '' "$@"
  total=$(wc -l <"$SCRATCH/changes")
  cp "$SCRATCH/changes" "$SCRATCH/changes-$1"
  [ "$total" -gt 0 ] || fail "$1 changed nothing: $(cat "$SCRATCH/out")"
  step=$((total / wanted))
  [ "$step" -gt 0 ] && [ "${PANTHOR_LAB_CUTS:-}" != all ] || step=1
  for ((at = 1; at <= total; at += step)); do
    restore_all
    cut_at "$at" "$@"
    [ "$(wc -l <"$SCRATCH/changes")" -eq $((at - 1)) ] || {
      cat "$SCRATCH/changes" "$SCRATCH/out"
      fail "$1: cut at $at left $(wc -l <"$SCRATCH/changes") changes"
    }
    lose_unwritten
    check_after_cut "$1, cut before change $at ($(sed -n "${at}p" "$SCRATCH/changes-$1"))"
    points=$((points + 1))
    [ $((points % 6)) -ne 0 ] || again "$@" || fail "$1 after a cut at $at: $(tail -n 1 "$SCRATCH/again")"
  done
  restore_all
  cut_at '' "$@"
  lose_unwritten
  check_after_cut "$1, cut behind its end"
  boot list
  printf 'ok: %s: %d changes\n' "$1" "$total"
}

# again VERB ARGS…: after a cut. What was completed already may say so.
again() {
  boot "$@" >"$SCRATCH/again" 2>&1 && return
  case $1 in
    install) grep -q 'is installed already' "$SCRATCH/again" && expect_exit 37 not-rehearsed boot arm one ;;
    rehearse | arm) grep -q 'refused (pending)' "$SCRATCH/again" && boot disarm && boot "$@" ;;
    remove) grep -q 'there is no candidate' "$SCRATCH/again" ;;
    *) return 1 ;;
  esac
}

cuts 50 install "$SCRATCH/one.tar"
cuts 16 rehearse
reboot_board
says 'the rehearsal passed' boot status
cuts 20 arm one
cuts 10 disarm
cuts 12 remove one
[ "$points" -ge 100 ] || fail "only $points cuts"
printf 'ok: the power went %d times\n' "$points"
