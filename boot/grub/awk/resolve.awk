# SPDX-License-Identifier: MIT
# awk -f lexer.awk -f script.awk -f menu.awk -f resolve.awk -v config=… -v environment=… -v mode=…
#
#   mode=default [next=ID]     the entry the next boot takes: KEY=VALUE lines. Without next the environment's next_entry is left out,
#                              which gives the configured default; next=@environment takes it as it stands.
#   mode=body entry=SPEC       its body, verbatim (SPEC as in "default"; @default: the configured default)
#   mode=list                  index path, kind, id, title, "unrestricted" or "", one entry a line, tab-separated
#   mode=files entry=SPEC      linux, initrd, devicetree lines of its body and of functions it calls, in order:
#                              "command<TAB>argument<TAB>…", variables expanded
# Exit code 0; 3: the file uses something this cannot judge, told on stderr; 4: no such entry.

function unsupported(what) { if (!(what in REFUSED)) { REFUSED[what] = 1; REASONS = REASONS (REASONS == "" ? "" : "; ") what } }

function list_menu(menu, path,   i, n) {
  for (i = 0; i < SIZE[menu] + 0; i++) {
    n = CHILD[menu, i]
    printf "%s\t%s\t%s\t%s\t%s\n", path i, KIND[n], ID[n], TITLE[n], n in UNRESTRICTED ? "unrestricted" : ""
    if (KIND[n] == "submenu") {
      open_submenu(n)
      list_menu(n, path i ">")
    }
  }
}

function print_default(n) {
  printf "path=%s\nid=%s\ntitle=%s\n", INDEX_PATH, ID[n], TITLE[n]
  printf "matched=%s\nunrestricted=%s\nusers=%s\n", FELL_BACK ? "no" : "yes", n in UNRESTRICTED ? "yes" : "no", n in USERS ? USERS[n] : ""
  printf "default=%s\ntimeout=%s\nsuperusers=%s\n", VAR["default"], VAR["timeout"], VAR["superusers"]
  printf "next_entry_cleared=%s\nenvironment=%s\n", ("next_entry" in SAVED) && SAVED["next_entry"] == "" ? "yes" : "no", ENV_WHOLE ? "whole" : "damaged"
}

# print_files(from, to): the loader commands between two tokens, with the arguments as GRUB would expand them, those of functions
# that are called there too.
function print_files(i, end,   word, line, start) {
  start = 1
  for (; i < end; i++) {
    if (start && TYPE[i] == "w" && WORD[i] ~ /^(if|then|elif|else)$/) continue
    if (start && TYPE[i] == "w" && WORD[i] ~ /^(linux|linux16|linuxefi|initrd|initrd16|initrdefi|devicetree|fdt)$/) {
      line = WORD[i]
      for (i++; i < end && TYPE[i] == "w"; i++) {
        word = expand(WORD[i])
        if (!DROPPED) line = line "\t" word
      }
      print line
    } else if (start && TYPE[i] == "w" && (WORD[i] in FUNCTION)) print_files(FUNCTION[WORD[i]] + 1, CLOSE[FUNCTION[WORD[i]]])
    start = TYPE[i] != "w"
  }
}

BEGIN {
  PREFIX_DIR = config
  sub(/\/[^\/]*$/, "", PREFIX_DIR)
  if (prefix != "") PREFIX_DIR = prefix
  read_environment(environment)
  if (next_ == "") delete ENV["next_entry"]
  else if (next_ != "@environment") ENV["next_entry"] = next_
  begin_script()
  first = lex(config)
  run(first, TOKENS + 1)
  spec = VAR["default"]
  if (entry != "" && entry != "@default") spec = entry
  if (mode == "list") list_menu(0, "")
  else {
    n = resolve(spec)
    if (n == 0 || (entry != "" && entry != "@default" && FELL_BACK)) {
      print "no entry " spec > "/dev/stderr"
      exit 4
    }
    if (mode == "default") print_default(n)
    else if (mode == "body") printf "%s", body_of(n)
    else if (mode == "files") print_files(OPEN[n] + 1, CLOSE[OPEN[n]])
  }
  if (REASONS != "") {
    print REASONS > "/dev/stderr"
    exit 3
  }
}
