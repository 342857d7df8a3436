# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: short: superusers and a default that is not --unrestricted: refused at arm, since no reboot would come back
refused=superusers
spoil() { board 'printf "#!/bin/sh\necho set superusers=root\necho password root secret\n" >/etc/grub.d/07_password && chmod +x /etc/grub.d/07_password && update-grub'; }
