#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A board without panthor: the driver that is bound, what to do, exit code 77.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

sys=$SCRATCH/sys
export PANTHOR_LAB_SYSFS=$sys
gpu=$sys/bus/platform/devices/fb000000.gpu
mkdir -p "$gpu/of_node" "$sys/bus/platform/drivers/mali" "$sys/bus/platform/drivers/panthor" "$sys/class/drm"
printf 'rockchip,rk3588-mali\0arm,mali-valhall-csf\0' >"$gpu/of_node/compatible"
expect_exit 77 'fb000000.gpu .*has no driver: load it with "modprobe panthor"' "$LAB" run --target local
ln -s "$sys/bus/platform/drivers/mali" "$gpu/driver"
expect_exit 77 'vendor driver "mali": boot a mainline kernel' "$LAB" run --target local
expect_exit 77 'vendor driver "mali"' "$LAB" igt --target local
expect_exit 77 'vendor driver "mali"' "$LAB" exec --target local -- true
ln -sfn "$sys/bus/platform/drivers/panthor" "$gpu/driver"
mkdir -p "$sys/class/drm/renderD999"
ln -s "$gpu" "$sys/class/drm/renderD999/device"
expect_exit 77 '/dev/dri/renderD999 is panthor.s, but' "$LAB" run --target local
rm -r "$gpu"
mkdir -p "$gpu"
expect_exit 77 'no Mali GPU in the device tree' "$LAB" run --target local
