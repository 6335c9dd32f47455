# Functions on the pages of accuracy, for scripts at the repository's root: sourced, not run.
#
# `calibrate validate --format markdown` prints one text: the first page, then a line `<!-- page: PATH -->` before each page
# of docs/accuracy. README.md has the table of the first page between the same marks.

# Writes the parts of a printed text into FOLDER: ACCURACY.md, docs/accuracy/*.md, and README.md with the table.
split_pages() { # TEXT FOLDER
  mkdir -p "$2/docs/accuracy"
  awk -v folder="$2" '
    BEGIN { file = folder "/ACCURACY.md" }
    /^<!-- page: .* -->$/ { close(file); file = folder "/" $3; next }
    { print > file }
  ' "$1"
  awk '
    FILENAME == ARGV[1] && /^<!-- accuracy: begin -->$/ { inside = 1 }
    FILENAME == ARGV[1] { if (inside) table = table $0 "\n" }
    FILENAME == ARGV[1] { if (/^<!-- accuracy: end -->$/) inside = 0; next }
    /^<!-- accuracy: begin -->$/ { printf "%s", table; skipping = 1 }
    !skipping { print }
    /^<!-- accuracy: end -->$/ { skipping = 0 }
  ' "$2/ACCURACY.md" README.md >"$2/README.md"
}

# Puts the pages that are kept in the repository together again, as they were printed.
join_pages() {
  local page
  cat ACCURACY.md
  for page in docs/accuracy/*.md; do
    [[ -f $page ]] || continue
    printf '<!-- page: %s -->\n' "$page"
    cat "$page"
  done
}
