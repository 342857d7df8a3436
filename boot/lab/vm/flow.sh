# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# How a case is played on the made-up board. Needs machine.sh and candidate.sh, VM_DIR and VM_CANDIDATE; DEFAULT is the default's release.

readonly LAB_THERE=/root/panthor-lab VERDICTS_THERE=/var/lib/panthor-lab/verdicts

# When a boot, or the candidate's boot and the default's behind it, will not end any more. A busy machine was seen to need over 900 s for the
# latter.
readonly BOOT_SECONDS=1200 TRIP_SECONDS=1800

# wrong TEXT…: ends the case.
wrong() {
  printf 'WRONG: %s\n' "$*"
  exit 1
}

good() { printf 'ok: %s\n' "$*"; }

# panthor_boot ARGS…: on the board. Its output is shown; SAID is that, STATUS its exit code.
panthor_boot() {
  STATUS=0
  SAID=$(board "$LAB_THERE/boot/panthor-boot $*" 2>&1) || STATUS=$?
  printf '# panthor-boot %s\n%s\n' "$*" "$SAID"
}

# expect_done, expect_refused NAME, expect_said PATTERN: of the last panthor_boot.
expect_done() { [ "$STATUS" -eq 0 ] || wrong "exit code $STATUS"; }
expect_refused() {
  grep -q "refused ($1)" <<<"$SAID" && [ "$STATUS" -eq "$(awk -v name="$1" '$2 == name { print $1 }' "$LAB_ROOT/boot/grub/exit-codes.list")" ] || wrong "not refused ($1)"
  good "refused ($1)"
}
expect_said() {
  grep -qE -- "$1" <<<"$SAID" || wrong "no line matches '$1'"
  good "$(grep -Em1 -- "$1" <<<"$SAID")"
}

# armed_entry: what GRUB would take next; nothing if nothing is armed.
armed_entry() { board "grub-editenv list" | sed -n 's/^next_entry=//p'; }

# reboot_board: asks for it and comes back at once.
reboot_board() {
  LAST_BOOT=$BOOT_ID
  board 'systemd-run --quiet --on-active=1 systemctl reboot' || wrong "the board does not take the order to reboot"
}

# wait_for_default: until the default kernel runs in another boot than LAST_BOOT. on_candidate is called when the candidate answers.
wait_for_default() {
  local end=$((SECONDS + TRIP_SECONDS)) candidate=
  while :; do
    [ "$SECONDS" -lt "$end" ] || wrong "the default is not back after $TRIP_SECONDS s"
    machine_wait_boot "$LAST_BOOT" $((end - SECONDS)) || wrong "nothing boots"
    [ "$BOOT_KERNEL" != "$DEFAULT" ] || break
    [ "$candidate" != "$BOOT_ID" ] || { sleep 2 && continue; }
    good "the candidate answers: $BOOT_KERNEL"
    candidate=$BOOT_ID
    on_candidate
  done
  good "the default is back: $BOOT_KERNEL"
}

# in_a_boot COMMAND ARGS…: waits until it succeeds; status 1 if it does not while a boot may take.
in_a_boot() {
  local end=$((SECONDS + BOOT_SECONDS))
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 1
  done
}

# wait_for_verdict: on the candidate.
wait_for_verdict() { in_a_boot verdict_recorded || wrong "no verdict"; }
verdict_recorded() { board "test -s $VERDICTS_THERE/$VM_ID/$BOOT_ID/verdict" 2>/dev/null; }

# on_console PATTERN: how often the console showed it since the board was started.
on_console() { grep -acE -- "$1" "$MACHINE/console" || true; }

# wait_on_console PATTERN
wait_on_console() { in_a_boot grep -aqE -- "$1" "$MACHINE/console" || wrong "the console never showed '$1'"; }

# candidate_release: as a pattern.
candidate_release() { board "sed -n s/^release=//p /boot/panthor-lab/$VM_ID/info" | sed 's/[+.]/\\&/g'; }

# give_candidate: what a git clone would bring, and the candidate's packages.
give_candidate() {
  local package
  tar -C "$LAB_ROOT" -c boot configs | ssh -F "$MACHINE/ssh.config" board "mkdir -p $LAB_THERE && tar -xm --no-same-owner -C $LAB_THERE"
  for package in "$VM_CANDIDATE/$VM_ID.tar.zst" "$VM_CANDIDATE/panthor-lab-kernel-$VM_ID.deb"; do
    board_receives "$package" "/root/${package##*/}" || wrong "$package does not arrive"
  done
}

# make_ready DIRECTORY: a fresh board, the candidate installed on it and a rehearsal passed; saved while it runs.
make_ready() {
  trap machine_off EXIT
  copy_board "$VM_DIR" "$1"
  give_candidate
  panthor_boot install --dry-run "/root/$VM_ID.tar.zst" && expect_done
  panthor_boot install "/root/$VM_ID.tar.zst" && expect_done
  panthor_boot arm "$VM_ID" && expect_refused not-rehearsed
  panthor_boot rehearse && expect_done
  reboot_board
  machine_wait_boot "$LAST_BOOT" "$BOOT_SECONDS" || wrong "the rehearsal does not come back"
  [ "$BOOT_KERNEL" = "$DEFAULT" ] || wrong "the rehearsal booted $BOOT_KERNEL"
  panthor_boot status && expect_said 'the rehearsal passed'
  board sync
  machine_save
}

# copy_board SAVED DIRECTORY: a saved board goes on.
copy_board() {
  machine_copy "$1" "$2" && machine_wait_boot none "$BOOT_SECONDS" || wrong "the saved board does not go on"
  DEFAULT=$BOOT_KERNEL
}

# play_case FILE READY DIRECTORY: the case's variables and functions say what is different in it.
play_case() {
  local fresh='' refused='' story='' loads=1 started
  spoil() { :; }        # on the default, before arm
  spoil_armed() { :; }  # after arm, before the reboot
  after_reboot() { :; } # the harness, while the board reboots
  on_candidate() { wait_for_verdict && reboot_board; } # as panthor-remote does
  # shellcheck source=/dev/null
  . "$1"
  trap machine_off EXIT
  copy_board "$([ -n "$fresh" ] && echo "$VM_DIR" || echo "$2")" "$3"
  play "$2"
}

# play: the usual course; a case may have one of its own.
play() {
  spoil
  panthor_boot arm "$VM_ID"
  if [ -n "$refused" ]; then
    expect_refused "$refused"
    [ -z "$(armed_entry)" ] || wrong "refused, yet armed"
    return
  fi
  expect_done
  [ "$(armed_entry)" = "panthor-lab-$VM_ID" ] || wrong "armed, yet next_entry is $(armed_entry)"
  spoil_armed
  reboot_board
  after_reboot
  wait_for_default
  panthor_boot status
  expect_said "$story"
  started=$(on_console "Linux version $(candidate_release) ")
  [ "$started" -eq "$loads" ] || wrong "the candidate's kernel started $started times, not $loads"
  [ -z "$(armed_entry)" ] || wrong "something is armed: $(armed_entry)"
}

# What cases do to the candidate.

# candidate_arguments TEXT: more kernel arguments; arm generates grub.cfg anew.
candidate_arguments() { board "sed -i 's,^arguments=.*,& $1,' /boot/panthor-lab/$VM_ID/entry.conf"; }

# candidate_unit NAME COMMAND [LINES]: a service that runs on the candidate only, as soon as the root file system is there.
candidate_unit() {
  board "cat >/etc/systemd/system/$1.service <<END && systemctl -q enable $1
[Unit]
DefaultDependencies=no
ConditionKernelCommandLine=panthor_lab.entry=$VM_ID
After=local-fs.target
Before=sysinit.target
[Service]
Type=exec
ExecStart=$2
${3:-}
[Install]
WantedBy=sysinit.target
END"
}

# candidate_without_verdict SECONDS: no network comes up on the candidate, the verdict waits for it, and the deadline is SECONDS away.
candidate_without_verdict() {
  board "sed -i '/^Type=/a KernelCommandLine=!panthor_lab.entry=$VM_ID' /etc/systemd/network/board.network
    mkdir -p /etc/panthor-lab && printf 'DEADLINE=$1\nNETWORK_SECONDS=9999\n' >/etc/panthor-lab/verdict.conf"
}
