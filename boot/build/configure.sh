# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Which kernel, under which name, with which configuration.

# choose_fragments: FRAGMENTS, the files; FRAGMENT_NAMES, joined by +.
choose_fragments() {
  local name
  local -a names=()
  declare -ga FRAGMENTS=()
  for name in "${OPT_CONFIG[@]}"; do names+=("${name//,/ }"); done
  [ "${#names[@]}" -gt 0 ] || names=(rk3588)
  # shellcheck disable=SC2048,SC2086 # words
  for name in ${names[*]}; do
    if [ -r "$LAB_ROOT/configs/$name.config" ]; then
      FRAGMENTS+=("$LAB_ROOT/configs/$name.config")
    elif [ -f "$name" ]; then
      FRAGMENTS+=("$(realpath "$name")")
    else
      die "$EX_USAGE" "--config $name: neither a fragment in configs/ nor a file"
    fi
  done
  FRAGMENT_NAMES=$(for name in "${FRAGMENTS[@]}"; do basename "$name" .config; done | paste -sd+)
  BASE_CONFIG=defconfig
  [ -z "${OPT[from-config]:-}" ] || BASE_CONFIG=$(realpath -e -- "${OPT[from-config]}") || die "$EX_USAGE" "--from-config ${OPT[from-config]}: no such file"
  [ -z "${OPT[dtb]:-}" ] || fdtget "${OPT[dtb]}" / compatible >/dev/null 2>&1 || die "$EX_USAGE" "--dtb ${OPT[dtb]}: no devicetree blob that names a board"
}

# choose_id: ID, and the directories that depend on it. The release ends in the ID, so that no other kernel has it.
choose_id() {
  ID=${OPT[id]:-$SRC_BASE-${OPT[series]:-stock}-$FRAGMENT_NAMES}
  ID=${ID//,/+}
  case $ID in default | .* | -* | *[!A-Za-z0-9._+-]*) die "$EX_USAGE" "--id $ID: letters, digits, . _ + - (not \"default\")" ;; esac
  # The kernel's release may have 64 characters.
  [ $((${#ID} + ${#SRC_VERSION} + 1)) -le 64 ] || die "$EX_USAGE" "--id $ID is too long: a kernel's release has at most 64 characters"
  OUT=${OPT[out]:-$LAB_CACHE/boards/$ID}
  mkdir -p "$OUT" || die "$EX_LAB" "$OUT cannot be made"
  OUT=$(cd "$OUT" && pwd -P)
  BUILD=$LAB_CACHE/boards/build-$(printf '%s\n' "$SRC_KEY" "$SERIES_KEY" "$ID" | hash_text)
}

# configure_board_kernel: the final configuration in $BUILD/.config; every required symbol must be in it.
configure_board_kernel() {
  need_board_tools
  mkdir -p "$BUILD"
  printf 'CONFIG_LOCALVERSION="-%s"\n' "$ID" >"$BUILD/id.config"
  step "configuring Linux $SRC_VERSION ($ID)" "$BUILD/configure.log" configure_arm64 "$SRC_TREE" "$BUILD" "$BASE_CONFIG" "${FRAGMENTS[@]}" "$BUILD/id.config" ||
    die "$EX_BUILD" "the kernel could not be configured"
  check_fragments "$BUILD/.config" "${FRAGMENTS[@]}" || die "$EX_BUILD" "the configuration lacks required symbols"
}

# need_board_tools: what the build calls.
need_board_tools() {
  local program
  local -a missing=()
  for program in make flex bison bc gcc zstd; do have "$program" || missing+=("$program"); done
  [ "${#missing[@]}" -eq 0 ] || die "$EX_PACKAGES" "missing: ${missing[*]} (Debian: apt-get install build-essential flex bison bc libssl-dev libelf-dev zstd)"
  [ -n "${OPT[no-build]:-}" ] || have "${CROSS}gcc" || die "$EX_PACKAGES" "no ${CROSS}gcc to compile for arm64 (Debian: apt-get install gcc-aarch64-linux-gnu)"
}
