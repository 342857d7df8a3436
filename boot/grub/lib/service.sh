# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The verdict service: on the board's own root file system, without effect unless a candidate is running (its units' conditions).

readonly SERVICE_PROGRAM=/usr/lib/panthor-lab/verdict
readonly SERVICE_UNITS="panthor-lab-verdict.service panthor-lab-deadline.service"
readonly UNIT_DIR=/etc/systemd/system

# put_service: the program, the units, and the links that start them.
put_service() {
  local unit wants=$ROOT$UNIT_DIR/local-fs.target.wants
  mkdir -p "$(dirname "$ROOT$SERVICE_PROGRAM")" "$wants"
  cmp -s "$LAB_ROOT/boot/verdict/verdict" "$ROOT$SERVICE_PROGRAM" || put_program "$LAB_ROOT/boot/verdict/verdict" "$ROOT$SERVICE_PROGRAM"
  for unit in $SERVICE_UNITS; do
    cmp -s "$LAB_ROOT/boot/verdict/$unit" "$ROOT$UNIT_DIR/$unit" || put "$ROOT$UNIT_DIR/$unit" <"$LAB_ROOT/boot/verdict/$unit"
    ln -sfn "../$unit" "$wants/$unit"
  done
  flush "$wants"
}

# drop_service: all of it; links first.
drop_service() {
  local unit
  for unit in $SERVICE_UNITS; do drop "$ROOT$UNIT_DIR/local-fs.target.wants/$unit" "$ROOT$UNIT_DIR/$unit"; done
  drop "$ROOT$SERVICE_PROGRAM"
  rmdir "$(dirname "$ROOT$SERVICE_PROGRAM")" 2>/dev/null || true
}
