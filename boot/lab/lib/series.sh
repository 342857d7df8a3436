# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Patch series. kernel-patches/BASE/series is a quilt series file whose lines are NAME/PATCH; --series picks names.
# After apply_series, SRC_TREE is the tree to build (SRC_TREE itself for stock) and SERIES_KEY names what was applied.

# series_names BASE: the names in its series file, in order.
series_names() {
  local file=$LAB_ROOT/kernel-patches/$1/series
  [ -r "$file" ] || return 0
  sed 's/#.*//; s/[ \t].*//; /^$/d; s,/.*,,' "$file" | awk '!seen[$0]++'
}

# The fixes that several series need: in front of each of them. The series that makes the driver fail on purpose: only who names it gets
# it, and it leaves the driver's own bugs alone.
readonly COMMON_SERIES=common TEST_SERIES=plants

# series_patches BASE NAME…: the patches of these names (all: every one that is not for tests only), in the order of the series file.
series_patches() {
  local base=$1 name wanted
  shift
  wanted=" $* "
  [ -r "$LAB_ROOT/kernel-patches/$base/series" ] || return 0
  sed 's/#.*//; s/[ \t].*//; /^$/d' "$LAB_ROOT/kernel-patches/$base/series" | while read -r patch; do
    name=${patch%%/*}
    case $name in
      "$COMMON_SERIES") [ "$wanted" != " $TEST_SERIES " ] ;;
      "$TEST_SERIES") [[ $wanted = *" $name "* ]] ;;
      *) [[ $wanted = *" $name "* || $wanted = *" all "* ]] ;;
    esac || continue
    printf '%s\n' "$patch"
  done
}

# patch_tree FROM PARTIAL BASE PATCH…: a copy of FROM (hard links; patch replaces what it changes) with the patches applied.
patch_tree() {
  local from=$1 partial=$2 base=$3 patch
  shift 3
  remove_tree "$partial" && mkdir -p "$partial" || return 1
  cp -al "$from" "$partial/linux" 2>/dev/null || { rm -rf "$partial/linux" && cp -a "$from" "$partial/linux"; } || return 1
  for patch in "$@"; do
    echo "== $patch"
    patch -d "$partial/linux" -p1 --no-backup-if-mismatch --forward <"$LAB_ROOT/kernel-patches/$base/$patch" || return 1
  done
}

# apply_series NAMES|stock: comma-separated names.
apply_series() {
  local wanted=${1:-stock} name dir
  local -a names patches known
  SERIES_KEY=stock
  [ "$wanted" != stock ] || return 0
  IFS=, read -ra names <<<"$wanted"
  mapfile -t known < <(series_names "$SRC_BASE")
  for name in "${names[@]}"; do
    one_of "$name" all "${known[@]}" || die "$EX_USAGE" "no series $name for $SRC_BASE (there are: stock ${known[*]})"
  done
  mapfile -t patches < <(series_patches "$SRC_BASE" "${names[@]}")
  [ "${#patches[@]}" -gt 0 ] || return 0
  SERIES_KEY=$(cd "$LAB_ROOT/kernel-patches/$SRC_BASE" && cat -- "${patches[@]}" | hash_text)
  dir=$LAB_CACHE/sources/$SRC_KEY-$(printf '%s' "$SRC_STATE" | hash_text)-$SERIES_KEY
  if [ ! -e "$dir" ]; then
    need_space "$LAB_CACHE" 2600 "a patched kernel tree"
    step "applying ${#patches[@]} patches ($wanted) to $SRC_BASE" "$LAB_CACHE/logs/series-$SERIES_KEY.log" \
      patch_tree "$SRC_TREE" "$dir.partial" "$SRC_BASE" "${patches[@]}" || die "$EX_BUILD" "the series $wanted does not apply to $SRC_FROM"
    publish "$dir.partial" "$dir"
  fi
  SRC_TREE=$dir/linux
}
