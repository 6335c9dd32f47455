# Draws the mean step of each arm as stacked bars, one panel for each phase between two changes, as SVG.
# Input: what `sim run FILE --format csv` prints. The parts add up to the step.
BEGIN {
  FS = ","
  part_count = split("compute_time_s compress_time_s exposed_time_s", parts, " ")
  split("compute,compression,exchange (not hidden)", titles, ",")
  split("#5b7db1 #d9a441 #b5545c", colours, " ")
}

# Commas inside quotes are no separators.
{
  while (match($0, /"[^"]*"/)) {
    quoted = substr($0, RSTART + 1, RLENGTH - 2)
    gsub(/,/, ";", quoted)
    $0 = substr($0, 1, RSTART - 1) quoted substr($0, RSTART + RLENGTH)
  }
}

NR == 1 {
  for (i = 1; i <= NF; ++i) column[$i] = i
  next
}

$column["phase"] == "whole run" { next }

{
  phase = $column["phase"]
  gsub(/;/, ",", phase)
  if (!(phase in arm_count)) phases[++phase_count] = phase
  n = ++arm_count[phase]
  arms[phase, n] = $column["arm"]
  step[phase, n] = $column["step_time_s"]
  for (p = 1; p <= part_count; ++p) part[phase, n, p] = $column[parts[p]]
  if (step[phase, n] > largest[phase]) largest[phase] = step[phase, n]
  ++rows
}

function milliseconds(seconds) { return seconds < 1 ? sprintf("%.1f ms", 1000 * seconds) : sprintf("%.2f s", seconds) }

END {
  left = 110; width = 470; bar = 18; gap = 6; heading = 34
  height = rows * (bar + gap) + phase_count * heading + 44
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" height=\"%d\" viewBox=\"0 0 680 %d\"", height, height
  print " role=\"img\" aria-label=\"Mean step time of each arm of scenarios/quickstart.yaml\">"
  print "<style>text{font:13px sans-serif;fill:#222}.b{font-weight:600}rect.page{fill:#fff}</style>"
  printf "<rect class=\"page\" width=\"680\" height=\"%d\"/>\n", height
  y = 6
  for (h = 1; h <= phase_count; ++h) {
    phase = phases[h]
    printf "<text class=\"b\" x=\"10\" y=\"%d\">Mean step, %s</text>\n", y + 18, phase
    y += heading - gap
    for (n = 1; n <= arm_count[phase]; ++n) {
      printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", left - 8, y + bar - 5, arms[phase, n]
      x = left
      for (p = 1; p <= part_count; ++p) {
        length_of_part = width * part[phase, n, p] / largest[phase]
        if (length_of_part > 0)
          printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y, length_of_part, bar, colours[p]
        x += length_of_part
      }
      printf "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x + 6, y + bar - 5, milliseconds(step[phase, n])
      y += bar + gap
    }
    y += gap
  }
  x = left
  for (p = 1; p <= part_count; ++p) {
    printf "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x, y + 6, colours[p], x + 18, y + 16, titles[p]
    x += 130
  }
  print "</svg>"
}
