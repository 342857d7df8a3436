# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab kernel list|update|verify|config|steps [OPTIONS]      kernel sources
#:
#:   list      the bases, what was resolved on the mirror, variants and series
#:   update    look for newer point releases of the packaged bases (what was resolved once is kept otherwise)
#:   verify    compare the driver's sources with the package they came from, unpacked anew from its verified download
#:   config    print the final configuration of the kernel chosen by the options of ./lab exec
#:   steps     --series NAMES: checkpatch, build, boot, smoke test and upstream's IGT after each single patch (minutes)
verb_kernel() {
  local action=${1:-list}
  [ $# -eq 0 ] || shift
  parse_options "quiet $KERNEL_OPTIONS cpus time" "$@"
  case $action in
    list) kernel_list ;;
    update) kernel_update ;;
    verify) kernel_verify ;;
    config)
      choose_variant
      build_kernel
      cat "$KERNEL_DIR/build/.config"
      ;;
    steps) kernel_steps ;;
    *) die "$EX_USAGE" "./lab kernel list, update, verify, config or steps (./lab help kernel)" ;;
  esac
}

kernel_list() {
  local name file
  for name in $(base_names); do
    file=$LAB_ROOT/kernel-patches/bases/$name
    printf '%-6s %-12s ' "$name" "$(config_value "$file" driver)"
    if [ "$(config_value "$file" obtain)" != package ]; then
      printf 'by --source: a tree, or %s\n' "$(config_value "$file" tarball)"
    elif [ -r "$LAB_CACHE/sources/$name.resolved" ]; then
      printf '%s %s\n' "$(config_value "$file" package)" "$(config_value "$LAB_CACHE/sources/$name.resolved" version)"
    else
      printf '%s, newest of: %s\n' "$(config_value "$file" package)" "$(config_value "$file" suites)"
    fi
    printf '       series: stock %s\n' "$(series_names "$name" | tr '\n' ' ')"
  done
  printf 'variants: %s\n' "$(variant_names | tr '\n' ' ')"
}

kernel_update() {
  local name before
  for name in $(base_names); do
    [ "$(config_value "$LAB_ROOT/kernel-patches/bases/$name" obtain)" = package ] || continue
    before=$(config_value "$LAB_CACHE/sources/$name.resolved" version 2>/dev/null || true)
    cache_locked apt fetch_base "$LAB_ROOT/kernel-patches/bases/$name"
    printf '%s: %s (was %s)\n' "$name" "$(config_value "$LAB_CACHE/sources/$name.resolved" version)" "${before:-unknown}"
  done
}

# package_manifest DEB: SHA-256 of the driver's files, straight from the package.
package_manifest() {
  local scratch
  scratch=$(mktemp -d)
  dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
    tar -xJ --strip-components=1 -C "$scratch" --wildcards "*/$PANTHOR_DIR/*"
  panthor_manifest "$scratch"
  rm -rf "$scratch"
}

kernel_verify() {
  local deb sum
  resolve_source
  deb=$LAB_CACHE/downloads/$(config_value "$LAB_CACHE/sources/$SRC_BASE.resolved" file)
  sum=$(config_value "$LAB_CACHE/sources/$SRC_BASE.resolved" sha256)
  archive_intact "$deb" "$sum" || die "$EX_CORRUPT" "$deb does not have the SHA-256 of the signed index"
  package_manifest "$deb" | cmp -s - <(panthor_manifest "$SRC_TREE") || die 1 "$PANTHOR_DIR in $SRC_TREE differs from $(basename "$deb")"
  printf '%s: %s is byte-identical to %s (sha256 %s)\n' "$SRC_BASE" "$PANTHOR_DIR" "$(basename "$deb")" "$sum"
}

kernel_steps() {
  local begin=$SECONDS
  [ -n "${OPT[series]:-}" ] || die "$EX_USAGE" "which series? ./lab kernel steps --series NAMES"
  results_open steps
  steps_run "${OPT[series]}"
  results_write
  results_table
  printf 'took %s; results in %s\n' "$(duration $((SECONDS - begin)))" "$RESULTS"
  results_verdict
}
