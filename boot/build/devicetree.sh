# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What panthor needs of a board's devicetree, checked in the built dtb.

# gpu_node DTB: the path of the Mali CSF node.
gpu_node() {
  local node
  for node in $(fdtget -l "$1" / | grep '^gpu@' | sed 's,^,/,'; fdtget -l "$1" /soc 2>/dev/null | grep '^gpu@' | sed 's,^,/soc/,'); do
    case " $(fdtget "$1" "$node" compatible 2>/dev/null) " in *' arm,mali-valhall-csf '*) printf '%s\n' "$node" && return ;; esac
  done
}

# PROPERTY|VALUE it must have, if only one will do|what is wrong without it
readonly GPU_PROPERTIES='status|okay|panthor does not see a disabled node
reg||the registers
interrupts||three interrupt lines
interrupt-names|job mmu gpu|the driver asks for them by name
clocks||the core clock
clock-names|core coregroup stacks|as the binding of rockchip,rk3588-mali has them
operating-points-v2||probe aborts without an OPP table
power-domains||registers of an unpowered GPU hang the bus
mali-supply||without a regulator devfreq cannot raise the voltage'

# check_devicetree DTB: prints what is missing, one a line; fails if something is.
check_devicetree() {
  local dtb=$1 node property wanted why got status=0
  node=$(gpu_node "$dtb")
  if [ -z "$node" ]; then
    printf 'no gpu node with arm,mali-valhall-csf\n'
    return 1
  fi
  while IFS='|' read -r property wanted why; do
    if ! got=$(fdtget "$dtb" "$node" "$property" 2>/dev/null); then
      # No status means okay.
      [ "$property" != status ] || continue
      printf '%s is missing (%s)\n' "$property" "$why"
      status=1
    elif [ -n "$wanted" ] && [ "$got" != "$wanted" ]; then
      printf '%s is "%s", not "%s" (%s)\n' "$property" "$got" "$wanted" "$why"
      status=1
    fi
  done <<<"$GPU_PROPERTIES"
  return "$status"
}

# check_devicetrees DIRECTORY: told per board. A board whose GPU is disabled upstream is no failure of the build; one without any usable
# dtb is.
check_devicetrees() {
  local file compatible problem good=0
  while read -r file compatible; do
    if problem=$(check_devicetree "$1/dtbs/$file"); then
      good=$((good + 1))
    else
      warn "$file (${compatible%% *}): panthor will not work: $(paste -sd';' <<<"$problem")"
    fi
  done <"$1/dtbs.list"
  [ "$good" -gt 0 ] || die "$EX_BUILD" "no devicetree has a gpu node that panthor can use"
  say "$good devicetrees have what panthor needs"
}
