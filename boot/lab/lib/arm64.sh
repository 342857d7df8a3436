# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The kernel of a board: arm64, native or with a cross compiler. After choose_compiler: CROSS (the prefix; empty when native).

# choose_compiler: the compiler for arm64 on this machine.
choose_compiler() {
  CROSS=
  [ "$(uname -m)" != aarch64 ] || return 0
  CROSS=aarch64-linux-gnu-
}

# arm64_make SOURCE OUT TARGET…: kbuild with everything fixed that would end up in the binaries: names, times, paths.
arm64_make() {
  local source=$1 out=$2 cross=$CROSS compiler
  shift 2
  # Where there is no cross compiler the configuration can still be made; what depends on the compiler then differs.
  have "${cross}gcc" || cross=''
  compiler=${cross}gcc
  ! have ccache || compiler="ccache $compiler"
  make -C "$source" O="$out" ARCH=arm64 CROSS_COMPILE="$cross" CC="$compiler" -j"$(nproc)" \
    KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=panthor-lab KBUILD_BUILD_VERSION=1 KBUILD_BUILD_TIMESTAMP='2026-01-01 00:00:00 UTC' \
    KCFLAGS="-ffile-prefix-map=$source=. -ffile-prefix-map=$out=." KAFLAGS="-ffile-prefix-map=$source=. -ffile-prefix-map=$out=." "$@"
}

# configure_arm64 SOURCE OUT BASE FRAGMENT-FILE…: BASE is a configuration, or "defconfig". Merged by the kernel's own merge_config.sh.
configure_arm64() {
  local source=$1 out=$2 base=$3
  shift 3
  mkdir -p "$out"
  if [ "$base" = defconfig ]; then
    arm64_make "$source" "$out" defconfig || return 1
    cp "$out/.config" "$out/base.config"
  else
    case $(od -An -tx1 -N2 "$base" | tr -d ' ') in 1f8b) zcat "$base" ;; *) cat "$base" ;; esac >"$out/base.config"
  fi
  (cd "$source" && scripts/kconfig/merge_config.sh -m -O "$out" "$out/base.config" "$@") && arm64_make "$source" "$out" olddefconfig
}

# check_fragments CONFIG FRAGMENT-FILE…: the required lists of all of them; names each lost symbol.
check_fragments() {
  local config=$1 file status=0
  shift
  for file in "$@"; do
    [ ! -r "${file%.config}.required" ] || check_required "$config" "${file%.config}.required" || status=1
  done
  return "$status"
}
