# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# This machine: architecture, packages, and what is missing.

# package_names FOR…: from packages.list, those for any of the named uses.
package_names() {
  awk -v uses=" $* " '!/^#/ && NF && index(uses, " " $2 " ") { print $1 }' "$LAB_ROOT/boot/lab/packages.list"
}

# package_installed NAME
package_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# missing_packages FOR…
missing_packages() {
  local name
  for name in $(package_names "$@"); do package_installed "$name" || printf '%s\n' "$name"; done
}

# is_debian_like: apt and dpkg are there.
is_debian_like() { have apt-get && have dpkg-query; }

# need_uml_host: can this machine run a User-Mode Linux guest at all?
need_uml_host() {
  [ "$(uname -s)" = Linux ] || die "$EX_ARCH" "the guest needs Linux (this is $(uname -s))"
  [ "$(uname -m)" = x86_64 ] ||
    die "$EX_ARCH" "the User-Mode Linux guest needs x86_64 (this is $(uname -m)); on a board with a Mali GPU use --target local"
}

# install_packages FOR…: installs what is missing; as another user than root, says what to install and stops.
install_packages() {
  local -a missing
  local log=$LAB_CACHE/logs/apt-install.log
  if ! is_debian_like; then
    require_programs
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  [ "$(id -u)" -eq 0 ] || die "$EX_ROOT" "packages are missing and this is not root; install them with: apt-get install ${missing[*]}"
  need_space /usr 2500 "the packages ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # Lists may be old or absent: refresh them once, tell a dead network from a missing package.
  if ! step "refreshing the package lists" "$log" apt-get -q -o APT::Update::Error-Mode=any update; then
    die "$EX_NETWORK" "no network: the package lists could not be refreshed (missing: ${missing[*]})"
  fi
  if ! step "installing ${#missing[@]} packages: ${missing[*]}" "$log" apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "${missing[@]}"; then
    ! grep -qE 'Unable to locate package|has no installation candidate' "$log" ||
      die "$EX_PACKAGES" "this distribution does not have all of: ${missing[*]}"
    die "$EX_NETWORK" "the packages could not be installed ($log)"
  fi
}

# require_programs: where there is no apt, the programs themselves must be there.
require_programs() {
  local program
  local -a missing=()
  for program in gcc g++ make cmake ninja pkg-config; do have "$program" || missing+=("$program"); done
  [ "${#missing[@]}" -eq 0 ] ||
    die "$EX_PACKAGES" "this is not a Debian system, so nothing was installed; missing: ${missing[*]} (all needs, by their Debian names: boot/lab/packages.list)"
}
