"""The check of docs/gallery.md finds pictures that are not those of today and sections that cannot draw theirs."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gallery  # noqa: E402

SECTION = """## Which one?

![Bars](gallery/one.svg)

```python
gradsim.bars([{"arm": "a", "sent_bytes": 1}], "sent_bytes").save("one.svg")
```
"""


class Gallery(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.page = Path(folder) / "gallery.md"
        self.picture = Path(folder) / "gallery" / "one.svg"
        sys.path.insert(0, str(gallery.ROOT / "python"))

    def faults(self, text, rewrite=False):
        self.page.write_text(text, encoding="utf-8")
        return list(gallery.list_faults(self.page, rewrite))

    def test_a_picture_that_is_missing_or_old_is_found_and_rewritten(self):
        old = ["Which one?: one.svg is out of date; './dev docs' rewrites it"]
        self.assertEqual(self.faults(SECTION), old)
        self.assertEqual(self.faults(SECTION, rewrite=True), [])
        self.assertEqual(self.faults(SECTION), [])
        self.picture.write_text("<svg/>", encoding="utf-8")
        self.assertEqual(self.faults(SECTION), old)

    def test_a_picture_that_no_section_shows_is_found(self):
        self.faults(SECTION, rewrite=True)
        (self.picture.parent / "two.svg").write_text("<svg/>", encoding="utf-8")
        self.assertEqual(self.faults(SECTION), ["two.svg: no section shows it"])

    def test_lines_that_fail_draw_nothing_or_are_too_many_are_found(self):
        line = SECTION.splitlines(keepends=True)[5]
        self.assertEqual(self.faults(SECTION.replace('"a"', "arm")), ["Which one?: its lines end with NameError: name 'arm' is not defined"])
        self.assertIn("its lines end with FileNotFoundError", self.faults(SECTION.replace('save("one', 'save("two'))[0])
        self.assertEqual(self.faults(SECTION.replace(line, 5 * line)), ["Which one?: has more than 4 lines"])
        self.assertEqual(self.faults(SECTION.replace("![", "[")),
                         ["Which one?: has 0 pictures and 1 blocks of Python instead of one of each"])


if __name__ == "__main__":
    unittest.main()
