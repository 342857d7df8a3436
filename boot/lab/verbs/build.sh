# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab build [OPTIONS]      build everything ./lab run needs, and all of user space, without booting
#:
#:   --base, --source, --series, --kernel-variant, --config: which kernel (./lab help exec)
#:   --target uml|local     local: user space only
verb_build() {
  parse_options "target quiet $KERNEL_OPTIONS cpus time" "$@"
  need_target uml local
  if [ "$TARGET" = local ]; then
    install_packages all
    build_userspace default all
  else
    prepare_guest
    build_userspace default all
    printf 'kernel   %s (%s)\nmodules  %s\nroot     %s\n' "$KERNEL_IMAGE" "$KERNEL_RELEASE" "$KERNEL_DIR/modules" "$ROOTFS_DIR"
    panthor_identity
  fi
  printf 'build    %s\n' "$USERSPACE_DIR"
}
