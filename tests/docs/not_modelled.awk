# Puts the names of other programs that a scenario does not model into a page, between its marks.
#
#   awk -f not_modelled.awk WORDS.md PAGE.md
#
# WORDS.md: the table of `sim list words --format markdown`.
FNR == NR {
  split($0, cells, / *[|] */)
  if (cells[4] == "not modelled") {
    if (!(cells[5] in names)) order[++count] = cells[5]
    names[cells[5]] = names[cells[5]] (names[cells[5]] == "" ? "" : ", ") "`" cells[2] "`"
  }
  next
}

/^<!-- not modelled: begin -->$/ {
  print
  for (i = 1; i <= count; ++i) print "- " toupper(substr(order[i], 1, 1)) substr(order[i], 2) " (" names[order[i]] ")."
  skipping = 1
  next
}
/^<!-- not modelled: end -->$/ { skipping = 0 }
!skipping
