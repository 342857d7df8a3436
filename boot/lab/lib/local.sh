# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# --target local: this machine's own Mali GPU. Works as an ordinary user.

# driver_of DEVICE-DIRECTORY: the name of the driver bound to it, or "none".
driver_of() { if [ -e "$1/driver" ]; then basename "$(readlink -f "$1/driver")"; else printf 'none\n'; fi; }

# panthor_node: the first render node driven by panthor; nothing if there is none.
panthor_node() {
  local node
  for node in "$LAB_SYSFS"/class/drm/renderD*; do
    [ -e "$node" ] && [ "$(driver_of "$node/device")" = panthor ] || continue
    printf '/dev/dri/%s\n' "$(basename "$node")"
    return
  done
}

# mali_devices: "DEVICE COMPATIBLE DRIVER" for each platform device that is a Mali GPU.
mali_devices() {
  local device compatible
  for device in "$LAB_SYSFS"/bus/platform/devices/*; do
    [ -r "$device/of_node/compatible" ] || continue
    compatible=$(tr '\0' ' ' <"$device/of_node/compatible")
    case $compatible in *mali*) printf '%s\t%s\t%s\n' "$(basename "$device")" "${compatible% }" "$(driver_of "$device")" ;; esac
  done
}

# no_device_advice: why there is no panthor node here and what to do; one line.
no_device_advice() {
  local name compatible driver
  IFS=$'\t' read -r name compatible driver < <(mali_devices) || true
  if [ -z "${name:-}" ]; then
    printf 'no Mali GPU in the device tree of this machine (kernel %s); boot a kernel with a device tree that has one, or use --target uml on x86-64' "$(uname -r)"
    return
  fi
  case $driver in
    none)
      printf '%s (%s) has no driver: load it with "modprobe panthor" as root, and look at "dmesg | grep panthor" (a kernel with CONFIG_DRM_PANTHOR and the firmware arm/mali/arch10.8/mali_csffw.bin are needed)' \
        "$name" "$compatible"
      ;;
    panthor) printf '%s (%s) is bound to panthor but has no render node: look at "dmesg | grep panthor"' "$name" "$compatible" ;;
    mali*) printf '%s (%s) is driven by the vendor driver "%s": boot a mainline kernel whose device tree binds panthor' "$name" "$compatible" "$driver" ;;
    *) printf '%s (%s) is driven by "%s", not panthor: boot a kernel with panthor' "$name" "$compatible" "$driver" ;;
  esac
}

# need_local_device: sets LOCAL_NODE, or ends with "cannot test here".
need_local_device() {
  LOCAL_NODE=$(panthor_node)
  [ -n "$LOCAL_NODE" ] || die "$EX_SKIP" "cannot test here: $(no_device_advice)"
  [ -r "$LOCAL_NODE" ] && [ -w "$LOCAL_NODE" ] ||
    die "$EX_SKIP" "cannot test here: $LOCAL_NODE is panthor's, but $(id -un) may not open it: add yourself to its group ($(stat -c %G "$LOCAL_NODE")) and log in again"
}

# local_igt_directory: where this machine has the panthor IGT binaries; nothing if it has none.
local_igt_directory() {
  local directory
  for directory in "${IGT_DIRECTORIES:-}" /usr/libexec/igt-gpu-tools/panthor /usr/lib/igt-gpu-tools/panthor /usr/local/libexec/igt-gpu-tools/panthor; do
    [ -n "$directory" ] && [ -x "$directory/panthor_query" ] || continue
    printf '%s\n' "$directory"
    return
  done
}
