# Prints the page of the scenarios in which each key matters, from tests/audit/keys.yaml and tests/audit/notes.yaml.

function unquoted(text) { gsub(/^'|'$/, "", text); gsub(/''/, "'", text); gsub(/\|/, "\\|", text); return text }
function quoted(text) { return text ~ /^[A-Za-z0-9_.,=+\/-]+$/ ? text : "'" text "'" }

FNR == NR {
  if ($0 !~ /^[a-z]/) next
  key = $1; sub(/:$/, "", key)
  line = substr($0, length($1) + 2)
  match(line, /base: [a-z0-9_]+/); base = substr(line, RSTART + 6, RLENGTH - 6)
  command = "sim run tests/audit/bases/" base ".yaml"
  if (key ~ /^(advice|planning)/) sub(/run/, "advise", command)
  if (match(line, /with: \[('[^']*'(, )?)+\]/)) {
    settings = substr(line, RSTART + 7, RLENGTH - 8)
    while (match(settings, /'[^']*'/)) {
      command = command " --set " quoted(unquoted(substr(settings, RSTART, RLENGTH)))
      settings = substr(settings, RSTART + RLENGTH)
    }
  }
  sub(/.*value: /, "", line); sub(/}$/, "", line)
  print "| `" key "` | `" command " --set " quoted(key "=" unquoted(line)) "` |"
  next
}
/^not_run:/ { print "\n## Keys without one\n\n| key, with all below it | because |\n|---|---|"; listed = 1; next }
/^[a-z#]/ { listed = 0 }
listed { key = $1; sub(/:$/, "", key); reason = $0; sub(/^ *[a-z_.]+: */, "", reason); print "| `" key "` | " reason " |" }
