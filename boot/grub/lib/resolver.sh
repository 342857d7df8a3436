# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What a grub.cfg boots, told by running it (boot/grub/awk).

# resolver CONFIG NAME=VALUE…: modes and values are described in resolve.awk. Other config than the system's: its $prefix stays.
resolver() {
  local config=$1 here=$LAB_ROOT/boot/grub/awk setting
  local -a settings=()
  shift
  for setting in "$@"; do settings+=(-v "${setting//\\/\\\\}"); done
  LC_ALL=C awk -v config="$config" -v environment="$GRUB_ENV" -v prefix="$GRUB_DIR" "${settings[@]}" \
    -f "$here/lexer.awk" -f "$here/script.awk" -f "$here/menu.awk" -f "$here/resolve.awk"
}

# judge CONFIG NAME=VALUE…: the resolver, with its complaint as a refusal.
judge() {
  local status=0 scratch=$WORK/judge
  resolver "$@" >"$scratch.out" 2>"$scratch.err" || status=$?
  case $status in
    0) cat "$scratch.out" ;;
    4) refuse default-broken "${1##*/} resolves to no entry: $(head -n 1 "$scratch.err")" ;;
    *) refuse unjudged "$1: $(head -n 1 "$scratch.err")" ;;
  esac
}

# field KEY: from the KEY=VALUE lines of stdin.
field() { sed -n "s/^$1=//p" | head -n 1; }

# check_default_files CONFIG: every file the configured default boots is there and not empty.
check_default_files() {
  local command path file lines found=
  lines=$(judge "$1" mode=default) || exit
  [ "$(field matched <<<"$lines")" = yes ] ||
    refuse default-broken "the default \"$(field default <<<"$lines")\" matches no entry; GRUB takes the first, \"$(field title <<<"$lines")\""
  lines=$(judge "$1" mode=files entry=@default) || exit
  while IFS=$'\t' read -r command path; do
    case $command in linux*) found=yes ;; esac
    file=$(host_path "$path") || refuse default-broken "the default entry boots $path, which is not there"
    [ -s "$file" ] || refuse default-broken "the default entry boots $file, which is empty"
  done < <(awk -F'\t' -v OFS='\t' '/^(initrd|devicetree|fdt)/ { for (i = 2; i <= NF; i++) print $1, $i } /^linux/ { print $1, $2 }' <<<"$lines")
  [ -n "$found" ] || refuse default-broken "the default entry boots no kernel (it is no linux entry, or chain-loads)"
}
