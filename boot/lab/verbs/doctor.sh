# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab doctor [--target uml|local]      can this machine run the lab? each need, found or how to get it
#:
#: Exits 0 if nothing is missing (what ./lab run installs by itself as root counts as found), else the code of the first problem.
verb_doctor() {
  parse_options "target" "$@"
  need_target uml local
  DOCTOR_CODE=0
  doctor_system
  doctor_packages
  doctor_space
  case $TARGET in
    uml)
      doctor_network
      doctor_uml
      ;;
    local) doctor_local ;;
  esac
  return "$DOCTOR_CODE"
}

# finding good|missing CODE TEXT
finding() {
  if [ "$1" = good ]; then
    printf '  ok       %s\n' "$3"
  else
    printf '  MISSING  %s\n' "$3"
    [ "$DOCTOR_CODE" -ne 0 ] || DOCTOR_CODE=$2
  fi
}

doctor_system() {
  local name
  name=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-unknown}")
  if [ "$TARGET" = uml ] && [ "$(uname -m)" != x86_64 ]; then
    finding missing "$EX_ARCH" "$(uname -m): the virtual GPU's guest needs x86_64 (use --target local on a board)"
  else
    finding good 0 "$(uname -sm), $name, $(nproc) CPUs, $(awk '/MemAvailable/ { print int($2 / 1024) }' /proc/meminfo) MiB memory free"
  fi
}

doctor_packages() {
  local uses=all
  local -a missing
  [ "$TARGET" != uml ] || uses="all uml"
  if ! is_debian_like; then
    finding missing "$EX_PACKAGES" "not a Debian system: install by hand what boot/lab/packages.list names"
    return
  fi
  # shellcheck disable=SC2086 # a list
  mapfile -t missing < <(missing_packages $uses)
  if [ "${#missing[@]}" -eq 0 ]; then
    finding good 0 "all packages of boot/lab/packages.list"
  elif [ "$(id -u)" -eq 0 ]; then
    finding good 0 "packages ./lab run will install: ${missing[*]}"
  else
    finding missing "$EX_ROOT" "packages; as root: apt-get install ${missing[*]}"
  fi
}

doctor_space() {
  local free need=6000
  [ "$TARGET" = uml ] || need=1000
  [ -z "$(find "$LAB_CACHE/kernels" -name info -print -quit 2>/dev/null)" ] || need=1000
  free=$(df -Pm "$LAB_CACHE" | awk 'NR == 2 { print $4 }')
  if [ "$free" -ge "$need" ]; then
    finding good 0 "$free MiB disk space for the cache $LAB_CACHE"
  else
    finding missing "$EX_SPACE" "disk space: $free MiB in $LAB_CACHE, $need needed (PANTHOR_LAB_CACHE moves it)"
  fi
}

doctor_network() {
  local log=$LAB_CACHE/logs/doctor.log
  if ! is_debian_like; then return; fi
  if cache_locked apt apt_update trixie-backports forky sid >"$log" 2>&1; then
    finding good 0 "the Debian mirror answers and its signature is good"
  elif [ -n "$(find "$LAB_CACHE/kernels" "$LAB_CACHE/rootfs" -maxdepth 1 -mindepth 1 -print -quit 2>/dev/null)" ]; then
    finding good 0 "no network, but sources and packages are in the cache"
  else
    finding missing "$EX_NETWORK" "$(sed 's/^lab: //' "$log" | tail -n 1)"
  fi
}

doctor_uml() {
  if [ -w /dev/shm ]; then
    finding good 0 "/dev/shm for the guest's memory ($(df -Pm /dev/shm | awk 'NR == 2 { print $4 }') MiB)"
  else
    finding missing "$EX_LAB" "/dev/shm must be writable: mount a tmpfs there"
  fi
}

doctor_local() {
  local name compatible driver node
  node=$(panthor_node)
  while IFS=$'\t' read -r name compatible driver; do
    printf '  note     %s (%s): driver %s\n' "$name" "$compatible" "$driver"
  done < <(mali_devices)
  if [ -z "$node" ]; then
    finding missing "$EX_SKIP" "$(no_device_advice)"
  elif [ ! -r "$node" ] || [ ! -w "$node" ]; then
    finding missing "$EX_SKIP" "$node is panthor's, but $(id -un) may not open it (group $(stat -c %G "$node"))"
  else
    finding good 0 "$node is driven by panthor"
  fi
  if [ -n "$(local_igt_directory)" ]; then
    finding good 0 "IGT's panthor tests in $(local_igt_directory)"
  else
    printf '  note     IGT is not installed: its tests will be skipped\n'
  fi
}
