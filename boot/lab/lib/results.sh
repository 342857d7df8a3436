# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Results: one line a test in $RESULTS/results.tsv: suite, test, pass|fail|skip, seconds, detail. Tables, JUnit and KTAP come from it.

# results_open VERB: RESULTS becomes a new directory with an empty table.
results_open() {
  RESULTS=$(results_dir "$1")
  : >"$RESULTS/results.tsv"
}

# result SUITE TEST STATUS SECONDS [DETAIL]
result() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-0}" "$(printf '%s' "${5:-}" | tr '\t\n' '  ')" >>"$RESULTS/results.tsv"
}

# results_end_after MINUTES: from then on nothing new begins (time_left); without MINUTES, never.
RESULTS_MINUTES='' RESULTS_END=''
results_end_after() {
  case $1 in *[!0-9]*) die "$EX_USAGE" "--minutes $1: a number" ;; esac
  RESULTS_MINUTES=$1 RESULTS_END=${1:+$((SECONDS + 10#$1 * 60))}
}

# time_left SUITE NAME: may it still begin? What may not is a skipped result.
time_left() {
  if [ -n "$RESULTS_END" ] && [ "$SECONDS" -ge "$RESULTS_END" ]; then
    result "$1" "$2" skip 0 "not begun: the $RESULTS_MINUTES minutes of --minutes are over"
    return 1
  fi
}

# count_results STATUS [SUITE]
count_results() { awk -F'\t' -v status="$1" -v suite="${2:-}" '$3 == status && (suite == "" || $1 == suite)' "$RESULTS/results.tsv" | wc -l; }

# results_table: one line a suite, what failed below it, and the total.
results_table() {
  awk -F'\t' '
    BEGIN { form = "%-34s %7s %7s %8s %9s\n"; printf form, "what", "passed", "failed", "skipped", "seconds" }
    !($1 in seen) { seen[$1] = 1; order[++suites] = $1 }
    { count[$1, $3]++; seconds[$1] += $4; total[$3]++; all += $4 }
    $3 == "fail" { failed[$1] = failed[$1] "    failed: " $2 ($5 == "" ? "" : ": " $5) "\n" }
    END {
      for (i = 1; i <= suites; i++) {
        s = order[i]
        printf form, s, count[s, "pass"] + 0, count[s, "fail"] + 0, count[s, "skip"] + 0, sprintf("%.1f", seconds[s])
        printf "%s", failed[s]
      }
      printf form, "all", total["pass"] + 0, total["fail"] + 0, total["skip"] + 0, sprintf("%.1f", all)
    }' "$RESULTS/results.tsv"
}

# results_verdict: 0 if something passed and nothing failed, 77 if nothing ran to an end, else 1.
results_verdict() {
  [ "$(count_results fail)" -eq 0 ] || return 1
  [ "$(count_results pass)" -gt 0 ] || return "$EX_SKIP"
}

# results_write: junit.xml and results.ktap beside the table.
results_write() {
  awk -F'\t' '
    function xml(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s); gsub(/[\001-\010\013\014\016-\037]/, "?", s); return s }
    BEGIN { print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>" }
    $1 != suite { if (suite != "") print "</testsuite>"; suite = $1; printf "<testsuite name=\"%s\">\n", xml(suite) }
    {
      printf "<testcase classname=\"%s\" name=\"%s\" time=\"%s\">", xml($1), xml($2), $4
      if ($3 == "fail") printf "<failure message=\"%s\"/>", xml($5)
      if ($3 == "skip") printf "<skipped message=\"%s\"/>", xml($5)
      print "</testcase>"
    }
    END { if (suite != "") print "</testsuite>"; print "</testsuites>" }' "$RESULTS/results.tsv" >"$RESULTS/junit.xml"
  awk -F'\t' '
    { line[NR] = ($3 == "fail" ? "not ok " : "ok ") NR " " $1 "." $2 ($3 == "skip" ? " # SKIP " $5 : "") }
    END { print "KTAP version 1\n1.." NR; for (i = 1; i <= NR; i++) print line[i] }' "$RESULTS/results.tsv" >"$RESULTS/results.ktap"
}

# seconds_since MILLISECONDS: "1.234" since a time of now_ms.
seconds_since() {
  local ms=$(($(now_ms) - $1))
  printf '%d.%03d' $((ms / 1000)) $((ms % 1000))
}
