# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab build [OPTIONS]      build everything ./lab run needs, and all of user space, without booting
#:
#:   --base, --source, --series, --kernel-variant, --config: which kernel (./lab help exec)
#:   --target uml|local|aarch64   local: user space only; aarch64: cross-compiles what runs on an arm64 board
verb_build() {
  parse_options "target quiet $KERNEL_OPTIONS cpus time" "$@"
  need_target uml local aarch64
  if [ "$TARGET" = local ]; then
    install_packages all
    build_userspace default all
  elif [ "$TARGET" = aarch64 ]; then
    install_packages all cross
    build_board_programs all
    printf 'sysroot  %s\n' "$SYSROOT_DIR"
  else
    prepare_guest
    build_userspace default all
    printf 'kernel   %s (%s)\nmodules  %s\nroot     %s\n' "$KERNEL_IMAGE" "$KERNEL_RELEASE" "$KERNEL_DIR/modules" "$ROOTFS_DIR"
    panthor_identity
  fi
  printf 'build    %s\n' "$USERSPACE_DIR"
}
