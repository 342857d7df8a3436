# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The options of all verbs. A verb says which it takes; parse_options fills OPT (single), OPT_CONFIG, OPT_GUEST (handed on) and REST.

# NAME KIND: value (kept in OPT), flag (OPT=yes), list (OPT_CONFIG), guest (handed to panthor-guest as it is, may repeat).
readonly OPTION_TABLE="
target          value
source          value
base            value
series          value
kernel-variant  value
config          list
time            value
cpus            value
mem             value
timeout         value
log             value
result          value
only            value
a               value
b               value
rounds          value
limit           value
kinds           value
with            value
cases           value
short           flag
json            value
html            value
markdown        value
jobs            value
ktap            flag
build-dir       value
all             flag
long            flag
minutes         value
quiet           flag
root            value
dry-run         flag
dtb             value
add-arguments   value
from-config     value
id              value
out             value
no-build        flag
collect         value
command         value
power-cycle     value
wait            value
verdict-wait    value
stay            flag
fault           guest
bind            guest
modparam        guest
fail-on-dmesg   guest
env             guest
append          guest
chdir           guest
boot-timeout    guest
no-driver       guestflag
log-registers   guestflag"

# The options that choose a kernel, and those that shape a guest.
# shellcheck disable=SC2034 # used by the verbs
readonly KERNEL_OPTIONS="source base series kernel-variant config" \
  GUEST_OPTIONS="build-dir time cpus mem timeout log result fault bind modparam fail-on-dmesg env append chdir boot-timeout no-driver log-registers"

# option_kind NAME
option_kind() { awk -v name="$1" '$1 == name { print $2 }' <<<"$OPTION_TABLE"; }

# parse_options "ACCEPTED NAMES" ARGS…: everything after -- or from the first word that is no option goes to REST. A program whose words
# are no command line of their own sets OPTIONS_ANYWHERE: options may follow words there. LAB_COMMAND is its name in messages.
parse_options() {
  local accepted=" $1 " name value kind command=${LAB_COMMAND:-./lab}
  local -a words=()
  shift
  declare -gA OPT=()
  declare -ga OPT_CONFIG=() OPT_GUEST=() REST=()
  while [ $# -gt 0 ]; do
    case $1 in
      --)
        shift
        break
        ;;
      -h | --help) show_help "$LAB_VERB" && exit 0 ;;
      --*) ;;
      -*) die "$EX_USAGE" "unknown option $1 ($command help $LAB_VERB)" ;;
      *)
        [ -n "${OPTIONS_ANYWHERE:-}" ] || break
        words+=("$1")
        shift
        continue
        ;;
    esac
    name=${1#--}
    name=${name%%=*}
    kind=$(option_kind "$name")
    case $accepted in *" $name "*) ;; *) kind='' ;; esac
    case $kind in
      '') die "$EX_USAGE" "$command${LAB_VERB:+ $LAB_VERB} takes no option --$name ($command help $LAB_VERB)" ;;
      flag) OPT[$name]=yes ;;
      guestflag) OPT_GUEST+=("--$name") ;;
      *)
        case $1 in
          *=*) value=${1#*=} ;;
          *)
            [ $# -ge 2 ] || die "$EX_USAGE" "--$name needs a value"
            value=$2
            shift
            ;;
        esac
        case $kind in
          value) OPT[$name]=$value ;;
          list) OPT_CONFIG+=("$value") ;;
          guest) OPT_GUEST+=("--$name" "$value") ;;
        esac
        ;;
    esac
    shift
  done
  REST=("${words[@]}" "$@")
  [ -z "${OPT[quiet]:-}" ] || LAB_QUIET=yes
}

# need_target NAME…: the target asked for must be one of these; prints nothing, sets TARGET.
need_target() {
  TARGET=${OPT[target]:-$(default_target)}
  case " $* " in *" $TARGET "*) return ;; esac
  case $TARGET in
    vm | ssh:*) die "$EX_USAGE" "--target $TARGET: not yet; there are: $*" ;;
    *) die "$EX_USAGE" "no target $TARGET for $LAB_VERB; there are: $*" ;;
  esac
}

# default_target: a virtual GPU where one can run, this machine's own GPU on a board.
default_target() { if [ "$(uname -m)" = aarch64 ]; then printf 'local\n'; else printf 'uml\n'; fi; }
