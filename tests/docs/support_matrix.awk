# Prints the matrix of settings and synchronisation methods, from `sim list support --format csv`.

NR == 1 { next }
/^`synchronisation: / {
  method = $0
  sub(/^`synchronisation: /, "", method)
  sub(/`.*/, "", method)
  methods[++count] = method
  next
}
{
  setting = $0
  if (setting ~ /^"/) { sub(/^"/, "", setting); sub(/",.*/, "", setting) } else sub(/,.*/, "", setting)
  settings[++rows] = setting
  lines[rows] = $0
}
END {
  header = "| setting |"
  rule = "|---|"
  for (m = 1; m <= count; ++m) { header = header " " methods[m] " |"; rule = rule "---|" }
  print header
  print rule
  for (r = 1; r <= rows; ++r) {
    cells = ""
    some = 0
    for (m = 1; m <= count; ++m) {
      excluded = index(lines[r], "`synchronisation: " methods[m] "`") > 0
      cells = cells (excluded ? " · |" : " |")
      some += excluded
    }
    if (some > 0) print "| " settings[r] " |" cells
  }
}
