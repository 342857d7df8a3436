# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A User-Mode Linux guest with the virtual GPU, run by panthor-guest (which owns deadlines, signals and exit codes).

readonly GUEST_TARGETS="panthor-guest panthor-guest-agent panthor-vgpu panthor-harness panthor_device_tests record_threads"

# choose_variant: --cpus needs the SMP kernel, which has no virtual time; says so instead of ignoring an option.
choose_variant() {
  local cpus=${OPT[cpus]:-1} time=${OPT[time]:-} variant=${OPT[kernel-variant]:-}
  case $cpus in '' | *[!0-9]* | 0) die "$EX_USAGE" "--cpus $cpus: a number from 1" ;; esac
  case $time in '' | virtual | wall) ;; *) die "$EX_USAGE" "--time $time: virtual or wall" ;; esac
  if [ -z "$variant" ]; then
    if [ "$cpus" -gt 1 ]; then variant=smp; else variant=virtual-time; fi
    OPT[kernel-variant]=$variant
  fi
  case $variant in
    smp*)
      [ "$time" != virtual ] || die "$EX_USAGE" "virtual time is for one CPU: --time virtual excludes --cpus and the $variant kernel"
      OPT[time]=wall
      ;;
    *)
      [ "$cpus" -eq 1 ] || die "$EX_USAGE" "--cpus $cpus needs --kernel-variant smp or smp-debug"
      OPT[time]=${time:-virtual}
      ;;
  esac
}

# prepare_guest: everything a guest needs, from the options; fast when it is all in the cache.
prepare_guest() {
  need_uml_host
  choose_variant
  install_packages all uml
  build_kernel
  if [ -n "${OPT[build-dir]:-}" ]; then
    USERSPACE_DIR=$(realpath -e -- "${OPT[build-dir]}") || die "$EX_USAGE" "--build-dir ${OPT[build-dir]}: no such directory"
  else
    build_userspace default "$GUEST_TARGETS"
  fi
  build_rootfs
}

# guest_command: the words that start a guest, up to the command (array GUEST).
guest_command() {
  local option supervisor vgpu dtb programs firmware=$ROOTFS_DIR/usr/lib/firmware/arm/mali/arch10.8/mali_csffw.bin
  supervisor=$(userspace_program panthor-guest)
  vgpu=$(userspace_program panthor-vgpu)
  dtb=$(guest_dtb)
  programs=$(guest_programs)
  declare -ga GUEST=("$supervisor" --kernel "$KERNEL_IMAGE" --modules "$KERNEL_DIR/modules/lib/modules/$KERNEL_RELEASE"
    --rootfs "$ROOTFS_DIR" --dtb "$dtb" --vgpu "$vgpu" --firmware "$firmware" --time "${OPT[time]}"
    --bind "$programs:/usr/local/bin:ro" --bind "$KERNEL_DIR/modules/lib/modules:/usr/lib/modules:ro")
  for option in cpus mem timeout log result; do
    [ -z "${OPT[$option]:-}" ] || GUEST+=("--$option" "${OPT[$option]}")
  done
  GUEST+=("${OPT_GUEST[@]}")
}

# guest_dtb: the device tree of the virtual GPU, compiled once for its content.
guest_dtb() {
  local source=$LAB_ROOT/boot/guests/uml/mali.dts out
  out=$LAB_CACHE/dtb/$(hash_text <"$source").dtb
  if [ ! -e "$out" ]; then
    mkdir -p "$LAB_CACHE/dtb"
    dtc -q -I dts -O dtb -o "$out.$$" "$source" >&2 || die "$EX_BUILD" "$source does not compile"
    mv -f "$out.$$" "$out"
  fi
  printf '%s\n' "$out"
}

# mark_cache_in_use: ./lab clean --all waits for no one, it refuses; the guest inherits this.
mark_cache_in_use() {
  exec 7>>"$LAB_CACHE/locks/in-use"
  flock -s 7
}

# run_guest COMMAND ARGS…: in a fresh guest; returns the command's status, 124 or 125.
run_guest() {
  guest_command
  mark_cache_in_use
  "${GUEST[@]}" -- "$@"
}

# exec_guest [--tty] -- COMMAND ARGS…: as run_guest, in place of this shell, so that signals and stdin go straight through.
exec_guest() {
  guest_command
  mark_cache_in_use
  exec "${GUEST[@]}" "$@"
}

# guest_programs: the project's programs as a directory the guest has in its path (bound to /usr/local/bin).
guest_programs() {
  local bin program path
  bin=$LAB_CACHE/userspace/bin-$(printf '%s' "$USERSPACE_DIR" | hash_text)
  mkdir -p "$bin"
  for program in panthor-harness panthor_device_tests libpanthor-record.so record_threads; do
    path=$(find "$USERSPACE_DIR" -type f -name "$program" -perm -u+x -print -quit)
    [ -z "$path" ] || cmp -s "$path" "$bin/$program" || cp -f "$path" "$bin/$program"
  done
  printf '%s\n' "$bin"
}

# bad_dmesg FILE: the first line of a guest's kernel log that is a failure of its own, whatever the programs said. Not while CPUs are brought
# up, where User-Mode Linux enqueues an RCU callback on one that is not online yet, and lockdep says so.
bad_dmesg() {
  sed '/smp: Bringing up secondary CPUs/,/smp: Brought up/d' "$1" |
    awk '/WARNING:|BUG:|Oops|general protection|KASAN|UBSAN|DEBUG_LOCKS|possible (circular|recursive|irq lock)|INFO: (task .* blocked|rcu|possible)|ODEBUG:|Kernel panic|\*ERROR\* .*Failed to/ { print; found = 1; exit } END { exit !found }'
}
