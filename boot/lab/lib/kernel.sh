# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The User-Mode Linux kernel. After build_kernel:
#   KERNEL_DIR  its directory in the cache: build/ (kbuild's output), modules/ (what a guest loads), info
#   KERNEL_IMAGE  the linux executable        KERNEL_RELEASE  7.2.12-panthor-lab

# variant_names, variant_fragments NAME: from configs/variants.list.
variant_names() { awk '!/^#/ && NF { print $1 }' "$LAB_ROOT/configs/variants.list"; }
variant_fragments() { awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) print $i }' "$LAB_ROOT/configs/variants.list"; }

# toolchain: the versions that decide what the compiler makes.
toolchain() {
  gcc --version | head -n 1
  ld --version | head -n 1
}

# check_required CONFIG FILE.required: names each symbol that the merge lost.
check_required() {
  local want why symbol value lost=0
  while read -r want why; do
    case $want in '' | '#'*) continue ;; esac
    symbol=${want%%=*} value=${want#*=}
    if [ "$value" = n ]; then
      grep -q "^$symbol=" "$1" || continue
      warn "config: $symbol is on and must be off: $why"
    else
      ! grep -qxF -- "$want" "$1" || continue
      warn "config: $want was lost in the merge: $why"
    fi
    lost=1
  done <"$2"
  return "$lost"
}

# link_source: the tree as KERNEL_DIR/source, a directory of links. Beside every build lies the same relative path, so that the
# compiler cache serves one tree with what it compiled for another (a series changes few files of its base).
link_source() {
  remove_tree "$KERNEL_DIR/source"
  mkdir "$KERNEL_DIR/source"
  ln -s "$SRC_TREE"/* "$KERNEL_DIR/source/"
}

# kernel_make TARGET…: kbuild with everything fixed that would end up in the binary.
kernel_make() {
  local compiler=gcc
  ! have ccache || compiler='ccache gcc'
  CCACHE_BASEDIR=$KERNEL_DIR CCACHE_NOHASHDIR=1 make -C "$KERNEL_DIR/source" O="$KERNEL_DIR/build" -j"$(nproc)" \
    ARCH=um SUBARCH=x86_64 CC="$compiler" HOSTCC="$compiler" \
    KBUILD_BUILD_USER=lab KBUILD_BUILD_HOST=panthor-lab KBUILD_BUILD_VERSION=1 KBUILD_BUILD_TIMESTAMP='2026-01-01 00:00:00 UTC' "$@"
}

# configure_kernel FRAGMENT…: the final .config by the kernel's own merge_config.sh over allnoconfig.
configure_kernel() {
  (cd "$KERNEL_DIR/source" && ARCH=um SUBARCH=x86_64 KCONFIG_CONFIG='' scripts/kconfig/merge_config.sh -n -O "$KERNEL_DIR/build.config" "$@") || return 1
  cmp -s "$KERNEL_DIR/build.config/.config" "$KERNEL_DIR/build/.config" || cp "$KERNEL_DIR/build.config/.config" "$KERNEL_DIR/build/.config"
}

# collect_modules: what a guest needs, in modules_install's layout, so that modprobe works on it.
collect_modules() {
  local staging=$KERNEL_DIR/modules.partial
  remove_tree "$staging" &&
    kernel_make modules_install INSTALL_MOD_PATH="$staging" DEPMOD=true &&
    rm -f "$staging/lib/modules/$KERNEL_RELEASE/build"
}

# stock_build: the directory of a finished build of the same sources and variant without a series; nothing if there is none.
stock_build() {
  local info
  for info in "$LAB_CACHE/kernels/$SRC_VERSION-$KERNEL_VARIANT"-*/info; do
    [ -r "$info" ] || continue
    if [ "$(config_value "$info" series)" = stock ] && [ "$(config_value "$info" state)" = "$SRC_STATE" ]; then
      dirname "$info"
      return
    fi
  done
}

# seed_build FROM: a copy of FROM's build, for kbuild to compile only what differs. It goes by times: what a patch replaced (patch_tree leaves
# the rest as links) has to be newer than any object.
seed_build() {
  remove_tree "$KERNEL_DIR/build.partial"
  cp -a "$1/build" "$KERNEL_DIR/build.partial" &&
    find "$KERNEL_DIR/build.partial" -type f \( -name '*.cmd' -o -name '*.d' -o -name Makefile \) -exec sed -i "s,$1/,$KERNEL_DIR/,g" {} + &&
    find "$SRC_TREE" -type f -links 1 -exec touch {} + &&
    publish "$KERNEL_DIR/build.partial" "$KERNEL_DIR/build"
}

# kernel_build FRAGMENT-FILE…: configure, check, compile. Continues where a killed build stopped.
kernel_build() {
  local status=0 file required seed
  if [ "$SERIES_NAMES" != stock ] && [ ! -e "$KERNEL_DIR/build" ]; then
    seed=$(stock_build)
    [ -z "$seed" ] || step "beginning $KERNEL_NAME with the stock build" "$KERNEL_DIR/seed.log" seed_build "$seed" || remove_tree "$KERNEL_DIR/build.partial"
  fi
  mkdir -p "$KERNEL_DIR/build" "$KERNEL_DIR/build.config"
  link_source
  step "configuring $KERNEL_NAME" "$KERNEL_DIR/configure.log" configure_kernel "$@" || die "$EX_BUILD" "the kernel could not be configured"
  for file in "$@"; do
    required=${file%.config}.required
    [ ! -r "$required" ] || check_required "$KERNEL_DIR/build/.config" "$required" || status=1
  done
  [ "$status" -eq 0 ] || die "$EX_BUILD" "the configuration of $KERNEL_NAME lacks required symbols"
  need_space "$LAB_CACHE" 700 "a kernel build"
  step "building $KERNEL_NAME" "$KERNEL_DIR/build.log" kernel_make all || die "$EX_BUILD" "$KERNEL_NAME failed to build ($KERNEL_DIR/build.log)"
  KERNEL_RELEASE=$(cat "$KERNEL_DIR/build/include/config/kernel.release")
  panthor_manifest "$SRC_TREE" >"$KERNEL_DIR/panthor.manifest"
  printf 'release=%s\nbase=%s\nversion=%s\nfrom=%s\nseries=%s\nvariant=%s\nstate=%s\n' \
    "$KERNEL_RELEASE" "$SRC_BASE" "$SRC_VERSION" "$SRC_FROM" "$SERIES_NAMES" "$KERNEL_VARIANT" "$SRC_STATE" >"$KERNEL_DIR/info.partial"
  mv -f "$KERNEL_DIR/info.partial" "$KERNEL_DIR/info"
}

# build_kernel: source, series and variant from the options; builds unless this very kernel is in the cache.
build_kernel() {
  local fragment key
  local -a files=() variants
  KERNEL_VARIANT=${OPT[kernel-variant]:-virtual-time}
  mapfile -t variants < <(variant_names)
  need_one_of "kernel variant" "$KERNEL_VARIANT" "${variants[@]}"
  resolve_source
  SERIES_NAMES=${OPT[series]:-stock}
  apply_series "$SERIES_NAMES"
  for fragment in $(variant_fragments "$KERNEL_VARIANT"); do files+=("$LAB_ROOT/configs/$fragment.config"); done
  for fragment in "${OPT_CONFIG[@]}"; do
    [ -r "$fragment" ] || fragment=$LAB_ROOT/configs/$fragment.config
    [ -r "$fragment" ] || die "$EX_USAGE" "--config $fragment: no such file"
    files+=("$(realpath "$fragment")")
  done
  key=$({ printf '%s\n' "$SRC_KEY" "$SERIES_KEY" && toolchain && cat -- "${files[@]}"; } | hash_text)
  KERNEL_DIR=$LAB_CACHE/kernels/$SRC_VERSION-$KERNEL_VARIANT-$key
  KERNEL_IMAGE=$KERNEL_DIR/build/linux
  KERNEL_NAME="Linux $SRC_VERSION ($KERNEL_VARIANT, $SERIES_NAMES)"
  if [ "$(config_value "$KERNEL_DIR/info" state 2>/dev/null)" != "$SRC_STATE" ]; then
    mkdir -p "$KERNEL_DIR"
    cache_locked "kernel-$key" kernel_build_unless_done "${files[@]}"
  fi
  touch "$KERNEL_DIR" # clean goes by age of last use
  KERNEL_RELEASE=$(config_value "$KERNEL_DIR/info" release)
  build_guest_module
}

# kernel_build_unless_done: under the lock: another lab may just have finished it.
kernel_build_unless_done() {
  [ "$(config_value "$KERNEL_DIR/info" state 2>/dev/null)" = "$SRC_STATE" ] || kernel_build "$@"
}

# guest_module_build DIRECTORY: the glue module against this kernel, then all modules as the guest sees them.
guest_module_build() {
  kernel_make M="$1" modules &&
    collect_modules &&
    find "$1" -name '*.ko' -exec cp -t "$KERNEL_DIR/modules.partial/lib/modules/$KERNEL_RELEASE" {} + &&
    depmod -b "$KERNEL_DIR/modules.partial" "$KERNEL_RELEASE"
}

# build_guest_module: kernel-patches/lab, out of tree, in the cache; rebuilt when its sources or the kernel change.
build_guest_module() {
  local key module
  key=$({ printf '%s\n' "$SRC_STATE" && cd "$LAB_ROOT/kernel-patches/lab" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum; } | hash_text)
  [ "$(cat "$KERNEL_DIR/modules/key" 2>/dev/null)" != "$key" ] || return 0
  cache_locked "module-$(basename "$KERNEL_DIR")" guest_module_unless_done "$key"
}

guest_module_unless_done() {
  [ "$(cat "$KERNEL_DIR/modules/key" 2>/dev/null)" != "$1" ] || return 0
  link_source
  remove_tree "$KERNEL_DIR/lab-module"
  cp -r "$LAB_ROOT/kernel-patches/lab" "$KERNEL_DIR/lab-module"
  step "building the guest module for $KERNEL_RELEASE" "$KERNEL_DIR/module.log" guest_module_build "$KERNEL_DIR/lab-module" ||
    die "$EX_BUILD" "the guest module failed to build ($KERNEL_DIR/module.log)"
  printf '%s\n' "$1" >"$KERNEL_DIR/modules.partial/key"
  publish "$KERNEL_DIR/modules.partial" "$KERNEL_DIR/modules"
}

# panthor_identity: proves which driver was built; prints one line, fails if a stock build differs from its source.
panthor_identity() {
  local files sum
  files=$(wc -l <"$KERNEL_DIR/panthor.manifest")
  sum=$(sha256sum <"$KERNEL_DIR/panthor.manifest" | cut -c1-16)
  if [ "$SERIES_NAMES" != stock ]; then
    printf 'panthor: %s files, hash %s, series %s on %s\n' "$files" "$sum" "$SERIES_NAMES" "$SRC_FROM"
  elif panthor_manifest "$SRC_TREE" | cmp -s - "$SRC_PANTHOR" && cmp -s "$KERNEL_DIR/panthor.manifest" "$SRC_PANTHOR"; then
    printf 'panthor: %s files, hash %s, byte-identical to %s\n' "$files" "$sum" "$SRC_FROM"
  else
    warn "panthor in $SRC_TREE differs from its source"
    return 1
  fi
}
