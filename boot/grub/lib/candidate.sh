# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# An installed candidate: $BASE/ID with what the package brought, its initramfs, local.sha256 and, written last, entry.conf.

# What of the running command line says where the root file system is. Everything else, vendor arguments above all, is left behind.
readonly ROOT_ARGUMENTS='root=|rootfstype=|rootflags=|rootwait$|rootdelay=|ro$|rw$|rd\.luks|rd\.lvm|rd\.md|rd\.auto|cryptdevice=|cryptkey=|nfsroot=|ip=|zfs='

# What a candidate needs to come back by itself. panthor is loaded by the verdict service, after the watchdog is armed. RK3588's
# watchdog counts 2^n cycles of 24 MHz: of 44.7 s and 89.5 s, dw_wdt takes the first that is not below what is asked for.
readonly SAFETY_ARGUMENTS='panic=10 oops=panic systemd.watchdog_sec=40 modprobe.blacklist=panthor'

# candidate_arguments ID: the kernel arguments of its entry.
candidate_arguments() {
  local root
  root=$(running_arguments | grep -E "^($ROOT_ARGUMENTS)" | paste -sd' ')
  case " $root" in *' root='*) ;; *) refuse no-root-arguments "/proc/cmdline has no root= to copy: \"$(running_arguments | paste -sd' ')\"" ;; esac
  printf '%s %s panthor_lab.entry=%s%s\n' "$root" "$SAFETY_ARGUMENTS" "$1" "${2:+ $2}"
}

# entry_value ID KEY
entry_value() { field "$2" <"$BASE/$1/entry.conf"; }

# need_candidate ID: it must be completely installed.
need_candidate() {
  [ -n "${1:-}" ] || die "$EX_USAGE" "which candidate? (there are: $(complete_candidates | paste -sd' '))"
  [ -d "$BASE/$1" ] && [ "$1" = "$(basename "$1")" ] || refuse no-candidate "there is no candidate $1 (there are: $(complete_candidates | paste -sd' '))"
  [ -r "$BASE/$1/entry.conf" ] || refuse no-candidate "the installation of $1 was not completed; run panthor-boot install $1 again"
}

# check_candidate_files ID: every file it boots is whole.
check_candidate_files() {
  local dir=$BASE/$1 release
  release=$(field release <"$dir/info")
  sums_good "$dir" "$dir/SHA256SUMS" Image || refuse image "$dir/Image is missing, truncated or changed"
  sums_good "$dir" "$dir/SHA256SUMS" "$(entry_value "$1" dtb)" || refuse devicetree "$dir/$(entry_value "$1" dtb) is missing, truncated or changed"
  sums_good "$dir" "$dir/local.sha256" initramfs.img || refuse initramfs "$dir/initramfs.img is missing, truncated or changed; make it anew with panthor-boot install $1"
  sums_good "$MODULES/$release" "$dir/modules.sha256" '.*' || refuse modules "$MODULES/$release/$BAD_FILE is missing, truncated or changed"
}
