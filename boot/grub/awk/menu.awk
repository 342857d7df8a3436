# SPDX-License-Identifier: MIT
# The menu a grub.cfg makes, and which entry a value of "default" stands for: index, title, id, or a path of them joined by >.
#
# Entries are numbered; 0 is the top-level menu. CHILD[menu, index] with the index GRUB counts, from 0.

function add_entry(args, count, open,   n, i) {
  n = ++ENTRIES
  KIND[n] = args[1]
  PARENT[n] = MENU
  OPEN[n] = open
  for (i = 2; i <= count; i++) {
    if (args[i] == "--id") ID[n] = args[++i]
    else if (args[i] == "--unrestricted") UNRESTRICTED[n] = 1
    else if (args[i] == "--users") USERS[n] = args[++i]
    else if (args[i] ~ /^--(class|hotkey|source)$/) i++
    else if (args[i] !~ /^--/ && !(n in TITLE)) TITLE[n] = args[i]
  }
  # Without --id GRUB uses the title as id.
  if (!(n in ID)) ID[n] = TITLE[n]
  CHILD[MENU, SIZE[MENU] + 0] = n
  SIZE[MENU]++
  return 0
}

# open_submenu(n): runs its body once, which fills it.
function open_submenu(n,   before) {
  if (n in OPENED) return
  OPENED[n] = 1
  before = MENU
  MENU = n
  run(OPEN[n] + 1, CLOSE[OPEN[n]])
  MENU = before
}

# name_matches(name, spec): spec up to its first single > ; >> in it means >.
function name_matches(name, spec,   i, j, c) {
  i = j = 1
  for (;;) {
    c = substr(spec, j, 1)
    if (c == ">") {
      if (substr(spec, j + 1, 1) != ">") break
      j++
    }
    if (c == "" || substr(name, i, 1) != c) break
    i++
    j++
  }
  return i == length(name) + 1 && (c == "" || c == ">")
}

# index_of(menu, spec): what GRUB's menu makes of a value: a leading number is an index even if text follows; -1 for no match.
function index_of(menu, spec,   i) {
  sub(/^[ \t\n]+/, "", spec)
  if (spec ~ /^[0-9]/) return number(spec)
  for (i = 0; i < SIZE[menu] + 0; i++) if (name_matches(TITLE[CHILD[menu, i]], spec) || name_matches(ID[CHILD[menu, i]], spec)) return i
  return -1
}

# number(spec): the number at its head: 12, 0x1f, 017; 08 is decimal to GRUB.
function number(spec,   base, value, digit) {
  base = 10
  if (spec ~ /^0[xX]/) {
    base = 16
    spec = substr(spec, 3)
  } else if (spec ~ /^0[0-7]/) base = 8
  while (spec != "" && (digit = index("0123456789abcdef", tolower(substr(spec, 1, 1))) - 1) >= 0 && digit < base) {
    value = value * base + digit
    spec = substr(spec, 2)
  }
  return value + 0
}

# rest_of(spec): behind the first single >; empty if there is none.
function rest_of(spec,   i) {
  for (i = 1; i <= length(spec); i++) {
    if (substr(spec, i, 2) == ">>") i++
    else if (substr(spec, i, 1) == ">") return substr(spec, i + 1)
  }
  return ""
}

# resolve(spec): the entry that boots when default is spec; 0 if the menu is empty. INDEX_PATH tells how it was reached,
# FELL_BACK is 1 when a part matched nothing and GRUB takes the first entry.
function resolve(spec,   menu, at, n) {
  INDEX_PATH = ""
  FELL_BACK = 0
  for (menu = 0;; menu = n) {
    if (SIZE[menu] + 0 == 0) return 0
    at = spec == "" ? 0 : index_of(menu, spec)
    if (at < 0 || at >= SIZE[menu]) {
      FELL_BACK = 1
      at = 0
    }
    INDEX_PATH = INDEX_PATH (menu == 0 ? "" : ">") at
    n = CHILD[menu, at]
    if (KIND[n] != "submenu") return n
    open_submenu(n)
    spec = rest_of(spec)
  }
}

# body_of(n): the text between its braces, as it stands in the file.
function body_of(n) { return substr(TEXT[FILE[OPEN[n]]], FROM[OPEN[n]] + 1, FROM[CLOSE[OPEN[n]]] - FROM[OPEN[n]] - 1) }
