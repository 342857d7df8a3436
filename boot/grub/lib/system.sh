# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The system that boots: paths below $ROOT (empty for the running one), its tools, its GRUB.

# run_there COMMAND…: the distribution's own tool, inside $ROOT.
run_there() { if [ -n "$ROOT" ]; then chroot "$ROOT" "$@"; else "$@"; fi; }

# have_there PROGRAM
have_there() {
  if [ -z "$ROOT" ]; then
    have "$1"
  else
    local dir
    for dir in usr/local/sbin usr/local/bin usr/sbin usr/bin sbin bin; do [ ! -x "$ROOT/$dir/$1" ] || return 0; done
    return 1
  fi
}

# grub_tool NAME: grub-NAME or grub2-NAME, whichever is there.
grub_tool() {
  local name
  for name in "grub-$1" "grub2-$1"; do
    if have_there "$name"; then
      printf '%s\n' "$name"
      return
    fi
  done
  return 1
}

# find_system: sets ROOT, BASE (our directory), MODULES, VERDICTS, GRUB_DIR (with ROOT), GRUB_PATH (without).
find_system() {
  local dir tool
  ROOT=${OPT[root]:-}
  ROOT=${ROOT%/}
  [ -z "$ROOT" ] || [ -d "$ROOT/boot" ] || die "$EX_USAGE" "--root $ROOT: no boot directory in it"
  BASE=$ROOT/boot/panthor-lab
  MODULES=$ROOT/usr/lib/modules
  VERDICTS=$ROOT/var/lib/panthor-lab/verdicts
  for dir in /boot/grub /boot/grub2; do
    [ -r "$ROOT$dir/grub.cfg" ] || continue
    GRUB_PATH=$dir GRUB_DIR=$ROOT$dir
    break
  done
  [ -n "${GRUB_DIR:-}" ] || refuse no-grub "neither /boot/grub/grub.cfg nor /boot/grub2/grub.cfg can be read"
  for tool in mkconfig script-check editenv reboot probe; do
    grub_tool "$tool" >/dev/null || refuse no-grub "GRUB's configuration is there, but grub-$tool (or grub2-$tool) is not"
  done
  GRUB_CFG=$GRUB_DIR/grub.cfg
  # The block may be a link to the EFI system partition: what is replaced is the file GRUB reads.
  GRUB_ENV=$(readlink -m "$GRUB_DIR/grubenv")
  [ -n "${DRY:-}" ] || [ -w "$ROOT/boot" ] || refuse not-root "$ROOT/boot cannot be written; run this as root"
  [ -n "${DRY:-}" ] || lock_system
}

# lock_system: one panthor-boot at a time changes things; the lock goes with the process.
lock_system() {
  mkdir -p "$ROOT/run"
  exec 8>"$ROOT/run/panthor-boot.lock"
  flock -n 8 || refuse busy "another panthor-boot is at work on this system"
}

# running_arguments: the command line of the running kernel, one argument a line; double quotes keep blanks together.
running_arguments() {
  [ -r "$ROOT/proc/cmdline" ] || return 0
  tr '\n' ' ' <"$ROOT/proc/cmdline" | awk '
    { for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "\"") quoted = !quoted
        if (c == " " && !quoted) { if (word != "") print word; word = "" } else word = word c
      } if (word != "") print word }'
}

# running_argument KEY: the value of its last "KEY=".
running_argument() { running_arguments | sed -n "s/^$1=//p" | tail -n 1; }

# running_entry: which of our entries the running kernel was booted through: an ID, "default" (the clone) or nothing.
running_entry() { running_argument 'panthor_lab\.entry'; }

boot_id() { cat "$ROOT/proc/sys/kernel/random/boot_id" 2>/dev/null || printf 'unknown\n'; }

# grub_file_system PATH, grub_abstraction PATH: GRUB's names of the file system, and of what lies below it (lvm, diskfilter …).
grub_file_system() { run_there "$(grub_tool probe)" --target=fs "$1" 2>/dev/null || printf 'unknown\n'; }
grub_abstraction() { { run_there "$(grub_tool probe)" --target=abstraction "$1" 2>/dev/null || true; } | tr '\n' ' ' | sed 's/ *$//'; }

# host_path PATH: where a path of a grub.cfg lies here: below the root, below /boot when that is a partition of its own, or below a
# btrfs subvolume. Fails if it is nowhere.
host_path() {
  local path=${1#(*)} candidate
  for candidate in "$path" "/boot$path" "/${path#/*/}"; do
    [ ! -e "$ROOT$candidate" ] || { printf '%s\n' "$ROOT$candidate" && return; }
  done
  return 1
}
