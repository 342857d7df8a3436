# SPDX-License-Identifier: MIT
# Runs a grub.cfg as GRUB would, up to the menu: variables, if, for, functions, load_env, save_env, source, menuentry, submenu.
# Commands that touch neither the menu nor variables succeed without doing anything. Files are looked up below $prefix only.
#
# PREFIX_DIR is the host's directory of grub.cfg; ENV holds the environment block; SAVED[name] what save_env would write.

# begin_script(): the variables GRUB has before it reads grub.cfg.
function begin_script(   i, features, count) {
  count = split("menuentry_id all_video_module default_font_path platform_search_hint timeout_style chainloader_bpb ntldr 200_final nativedisk_cmd", features, " ")
  for (i = 1; i <= count; i++) VAR["feature_" features[i]] = "y"
  VAR["grub_platform"] = "efi"
  VAR["grub_cpu"] = "arm64"
  VAR["prefix"] = VAR["config_directory"] = "/boot/grub"
  VAR["config_file"] = "/boot/grub/grub.cfg"
  MENU = 0
}

# read_environment(name): a GRUB environment block; a file that is too small is what GRUB refuses.
function read_environment(name,   line, text, at) {
  while ((getline line < name) > 0) text = text line "\n"
  close(name)
  ENV_WHOLE = text ~ /^# GRUB Environment Block\n/ && length(text) >= 1024
  if (!ENV_WHOLE) return
  while ((at = index(text, "\n")) > 0) {
    line = substr(text, 1, at - 1)
    text = substr(text, at + 1)
    while (line ~ /\\$/ && line !~ /\\\\$/) {
      at = index(text, "\n")
      line = substr(line, 1, length(line) - 1) "\n" substr(text, 1, at - 1)
      text = substr(text, at + 1)
    }
    if (line ~ /^#/ || (at = index(line, "=")) == 0) continue
    ENV[substr(line, 1, at - 1)] = unescape(substr(line, at + 1))
  }
}

function unescape(value,   out, c) {
  while (value != "") {
    c = substr(value, 1, 1)
    if (c == "\\") {
      out = out substr(value, 2, 1)
      value = substr(value, 3)
    } else {
      out = out c
      value = substr(value, 2)
    }
  }
  return out
}

# host_file(path): where a path of the script lies on this machine; empty if it is outside $prefix.
function host_file(path) {
  if (index(path, VAR["prefix"] "/") == 1) return PREFIX_DIR substr(path, length(VAR["prefix"]) + 1)
  return ""
}

function file_exists(path,   name, line, got) {
  if ((name = host_file(path)) == "") return 0
  got = (getline line < name)
  close(name)
  return got >= 0
}

function keyword(i) { return TYPE[i] == "w" ? WORD[i] : "" }

# clause(i, end, wanted): the next of the keywords in wanted (" then elif ") at this depth, behind nested ones.
function clause(i, end, wanted,   depth, start, word) {
  start = 1
  for (; i < end; i++) {
    if (TYPE[i] == "{") {
      i = CLOSE[i]
      start = 1
      continue
    }
    word = start ? keyword(i) : ""
    start = TYPE[i] == "n" || word ~ /^(if|then|elif|else|do|while|until)$/
    if (depth == 0 && word != "" && index(wanted, " " word " ")) return i
    if (word ~ /^(if|for|while|until)$/) depth++
    if (word ~ /^(fi|done)$/) depth--
  }
  unsupported("no" wanted "for what began before")
  return end
}

# run(i, end): the statements in [i, end); returns the status of the last one.
function run(i, end,   word, status) {
  while (i < end && !RETURNED) {
    word = keyword(i)
    if (TYPE[i] != "w") i++
    else if (word == "if") {
      i = run_if(i, end)
      status = STATUS
    } else if (word == "for") {
      i = run_for(i, end)
      status = STATUS
    } else if (word == "while" || word == "until") {
      unsupported("a " word " loop")
      i = clause(i + 1, end, " done ") + 1
    } else if (word == "function") {
      FUNCTION[WORD[i + 1]] = i + 2
      i = CLOSE[i + 2] + 1
    } else {
      i = run_command(i, end)
      status = STATUS
    }
    VAR["?"] = status + 0
  }
  return status + 0
}

function run_if(i, end,   then_, next_, fi, status) {
  then_ = clause(i + 1, end, " then ")
  next_ = clause(then_ + 1, end, " elif else fi ")
  status = 0
  if (run(i + 1, then_) == 0) {
    status = run(then_ + 1, next_)
    fi = keyword(next_) == "fi" ? next_ : clause(next_ + 1, end, " fi ")
    # elif is no nesting: clause() above passes over its branches
  } else if (keyword(next_) == "elif") {
    fi = run_if(next_, end) - 1
    status = STATUS
  } else if (keyword(next_) == "else") {
    fi = clause(next_ + 1, end, " fi ")
    status = run(next_ + 1, fi)
  } else fi = next_
  STATUS = status
  return fi + 1
}

function run_for(i, end,   name, do_, done_, j, value, status) {
  name = WORD[i + 1]
  do_ = clause(i + 1, end, " do ")
  done_ = clause(do_ + 1, end, " done ")
  for (j = i + 3; j < do_; j++) {
    if (TYPE[j] != "w") continue
    value = expand(WORD[j])
    if (DROPPED) continue
    VAR[name] = value
    status = run(do_ + 1, done_)
  }
  STATUS = status + 0
  return done_ + 1
}

# run_command: one simple command, or menuentry and submenu with their bodies. Sets STATUS; returns where it ends.
function run_command(i, end,   args, count, value, open) {
  for (; i < end && TYPE[i] == "w"; i++) {
    value = expand(WORD[i])
    if (!DROPPED) args[++count] = value
  }
  if (i < end && TYPE[i] == "{") {
    open = i
    i = CLOSE[i] + 1
  }
  STATUS = count > 0 ? command(args, count, open) : 0
  return i
}

function command(args, count, open,   name, at) {
  name = args[1]
  if (name == "menuentry" || name == "submenu") return add_entry(args, count, open)
  if (name == "set" && count > 1) name = args[2]
  if (name ~ /^[A-Za-z_][A-Za-z0-9_]*=/) {
    at = index(name, "=")
    VAR[substr(name, 1, at - 1)] = substr(name, at + 1)
    return 0
  }
  if (name == "unset") delete VAR[args[2]]
  else if (name == "[" || name == "test") return !condition(args, 2, name == "[" ? count - 1 : count)
  else if (name == "load_env") load_environment(args, count)
  else if (name == "save_env") save_environment(args, count)
  else if (name == "source" || name == ".") return source_file(args[2])
  else if (name in FUNCTION) {
    at = run(FUNCTION[name] + 1, CLOSE[FUNCTION[name]])
    RETURNED = 0
    return at
  } else if (name == "return") RETURNED = 1
  else if (name == "false" || name == "keystatus") return 1
  else if (name ~ /^(blscfg|configfile|normal|extract_entries_source|extract_entries_configfile|legacy_configfile|syslinux_configfile|eval|regexp)$/) unsupported("the command " name)
  return 0
}

function source_file(path,   name, first) {
  if ((name = host_file(path)) == "") {
    unsupported("source " path)
    return 1
  }
  if (!file_exists(path)) return 1
  first = lex(name)
  return run(first, TOKENS + 1)
}

function load_environment(args, count,   i, name, named) {
  for (i = 2; i <= count; i++) {
    if (args[i] == "-f" || args[i] == "--file") return # another block
    if (args[i] !~ /^-/) named = 1
  }
  if (!named) for (name in ENV) VAR[name] = ENV[name]
  else for (i = 2; i <= count; i++) if (args[i] in ENV) VAR[args[i]] = ENV[args[i]]
}

function save_environment(args, count,   i) {
  for (i = 2; i <= count; i++) {
    if (args[i] == "-f" || args[i] == "--file") return
    if (args[i] !~ /^-/) SAVED[args[i]] = VAR[args[i]]
  }
}

# condition(args, from, to): test(1) as GRUB has it: -o binds weakest, then -a, then !.
function condition(args, from, to,   i) {
  for (i = from; i <= to; i++) if (args[i] == "-o") return condition(args, from, i - 1) || condition(args, i + 1, to)
  for (i = from; i <= to; i++) if (args[i] == "-a") return condition(args, from, i - 1) && condition(args, i + 1, to)
  if (args[from] == "!") return !condition(args, from + 1, to)
  if (to == from) return args[from] != ""
  if (to == from + 1) {
    if (args[from] == "-n") return args[to] != ""
    if (args[from] == "-z") return args[to] == ""
    if (args[from] == "-s" && args[to] == VAR["prefix"] "/grubenv") return ENV_WHOLE
    if (args[from] ~ /^-[efsd]$/) return file_exists(args[to])
  }
  if (to == from + 2) {
    if (args[from + 1] == "=" || args[from + 1] == "==") return args[from] "" == args[to] ""
    if (args[from + 1] == "!=") return args[from] "" != args[to] ""
    if (args[from + 1] == "-eq") return args[from] + 0 == args[to] + 0
    if (args[from + 1] == "-ne") return args[from] + 0 != args[to] + 0
    if (args[from + 1] == "-lt") return args[from] + 0 < args[to] + 0
    if (args[from + 1] == "-gt") return args[from] + 0 > args[to] + 0
    if (args[from + 1] == "-le") return args[from] + 0 <= args[to] + 0
    if (args[from + 1] == "-ge") return args[from] + 0 >= args[to] + 0
  }
  return 0
}
