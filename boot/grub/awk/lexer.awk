# SPDX-License-Identifier: MIT
# GRUB's script language, as far as a grub.cfg decides which entry boots: words, separators and braces with their place in the text.
#
# Tokens are numbered from 1: TYPE w (word), n (newline or ;), { or }; WORD the raw text of a word, quotes and all; FROM, TO its
# characters in TEXT[FILE]; CLOSE[i] the } that belongs to the { at i. unsupported() collects what cannot be judged.

# lex(name): reads a file and appends its tokens. Returns the first one; TOKENS + 1 is where it ends.
function lex(name,   text, line, first) {
  while ((getline line < name) > 0) text = text line "\n"
  close(name)
  first = TOKENS + 1
  TEXT[name] = text
  lex_text(name, text)
  return first
}

function token(type, name, from, to, word) {
  TOKENS++
  TYPE[TOKENS] = type
  FILE[TOKENS] = name
  FROM[TOKENS] = from
  TO[TOKENS] = to
  WORD[TOKENS] = word
}

function lex_text(name, text,   at, length_, c, end, depth, open) {
  at = 1
  length_ = length(text)
  while (at <= length_) {
    c = substr(text, at, 1)
    if (c == " " || c == "\t" || c == "\r") at++
    else if (c == "\\" && substr(text, at + 1, 1) == "\n") at += 2
    else if (c == "\n" || c == ";") token("n", name, at, at++, "")
    else if (c == "#") while (at <= length_ && substr(text, at, 1) != "\n") at++
    else if (c == "{") {
      token("{", name, at, at++, "")
      open[++depth] = TOKENS
    } else if (c == "}") {
      token("}", name, at, at++, "")
      if (depth > 0) CLOSE[open[depth--]] = TOKENS
      else unsupported("a } without a {")
    } else {
      end = word_end(text, at, length_)
      token("w", name, at, end - 1, substr(text, at, end - at))
      at = end
    }
  }
  if (depth > 0) unsupported("a { without a }")
  for (; depth > 0; depth--) CLOSE[open[depth]] = TOKENS + 1
}

# word_end: the first character behind the word at at.
function word_end(text, at, length_,   c) {
  while (at <= length_) {
    c = substr(text, at, 1)
    if (c ~ /[ \t\r\n;{}]/) return at
    if (c == "\\") at += 2
    else if (c == "'") at = quote_end(text, at + 1, "'")
    else if (c == "\"") at = quote_end(text, at + 1, "\"")
    else if (c == "$" && substr(text, at + 1, 1) == "{") at = quote_end(text, at + 2, "}")
    else at++
  }
  return at
}

# quote_end: behind the closing quote. In double quotes a backslash hides the next character.
function quote_end(text, at, quote,   c, length_) {
  length_ = length(text)
  while (at <= length_) {
    c = substr(text, at, 1)
    if (c == quote) return at + 1
    if (c == "\\" && quote == "\"") at++
    at++
  }
  unsupported("a quote that does not end")
  return at
}

# expand(raw): the value of a word with the variables in VAR. DROPPED is 1 for an unquoted word that came out empty.
function expand(raw,   at, length_, c, value, quoted, name, in_double) {
  at = 1
  length_ = length(raw)
  while (at <= length_) {
    c = substr(raw, at, 1)
    if (c == "'" && !in_double) {
      quoted = 1
      name = index(substr(raw, at + 1), "'")
      value = value substr(raw, at + 1, name - 1)
      at += name + 1
    } else if (c == "\"") {
      quoted = 1
      in_double = !in_double
      at++
    } else if (c == "\\") {
      name = substr(raw, at + 1, 1)
      # In double quotes a backslash is itself unless it hides something.
      value = value (in_double && name !~ /[$"\\]/ ? c : "") (name == "\n" ? "" : name)
      at += 2
    } else if (c == "$") {
      if (substr(raw, at + 1, 1) == "{") {
        name = substr(raw, at + 2)
        name = substr(name, 1, index(name, "}") - 1)
        at += length(name) + 3
      } else if (match(substr(raw, at + 1), /^([A-Za-z_][A-Za-z0-9_]*|[0-9?@*#])/)) {
        name = substr(raw, at + 1, RLENGTH)
        at += RLENGTH + 1
      } else {
        name = ""
        value = value "$"
        at++
      }
      if (name != "") value = value VAR[name]
    } else {
      value = value c
      at++
    }
  }
  DROPPED = !quoted && value == ""
  return value
}
