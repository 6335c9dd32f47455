"""Mutants of a C++ source: the places where one small change may be made, found in its text as clang-format lays it out."""
import re
from dataclasses import dataclass

RELATIONS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
ARITHMETIC = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"]}
LOGIC = {"&&": ["||"], "||": ["&&"]}
NUMBER = re.compile(r"(?<![\w.'])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?:U?L{0,2}|f)?(?![\w.'])")
STATEMENT = re.compile(r"^ +(?!return|break|continue|using|static|const|case|else|for|while|if|do\b)[\w:.\[\]()*>-]+(?: [-+*/|&]?= .+|\(.*\)|\+\+);$")
DECLARATION = re.compile(r"^ +(?:auto|const|static|std::|[A-Z]\w*[ <&*]|double |int |bool |float |char |unsigned )")


@dataclass
class Mutant:
    """One change: the text between two offsets of a file becomes another."""

    file: str
    operator: str
    begin: int
    end: int
    new: str
    line: int
    shown: str  # the line as it was
    changed: str  # the line as it becomes

    def apply(self, text):
        return text[:self.begin] + self.new + text[self.end:]

    def where_and_what(self):
        return f"{self.operator:10} {self.file}:{self.line}: {self.shown}  ->  {self.changed}"


def blanked(text):
    """The text with comments, literals of text and preprocessor lines as blanks, so that offsets stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])\'|^[ ]*#[^\n]*', re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def closing(code, opening):
    """The offset of the bracket that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return None


def larger(number):
    """Another constant, as it is written."""
    if number.isdigit():
        return str(int(number) + 1)
    return f"{number} * 2" if float(number) != 0 else "1.0"


def mutants_of(file, text):
    """Every mutant of a file, by operator."""
    code = blanked(text)
    found = []

    def add(operator, begin, end, new):
        line = text.count("\n", 0, begin) + 1
        if "assert(" in text.split("\n")[line - 1]:  # of no effect in a release, or judged by the compiler
            return
        changed = text[text.rfind("\n", 0, begin) + 1:begin] + new + text[end:text.index("\n", end)]
        found.append(Mutant(file, operator, begin, end, new, line, text.split("\n")[line - 1].strip(), changed.strip().split("\n")[0]))

    for name, table in (("relational", RELATIONS), ("arithmetic", ARITHMETIC), ("logical", LOGIC)):
        for at in re.finditer(r" (<=|>=|==|!=|<|>|\+|-|\*|/|&&|\|\|) ", code):
            for new in table.get(at.group(1), []):
                add(name, at.start(1), at.end(1), new)
    for at in NUMBER.finditer(code):
        number = at.group(1)
        before = code[max(0, at.start() - 40):at.start()]
        if not before.rstrip().endswith(("<", "std::get<", "[]")) and "std::array<" not in before:
            add("constant", at.start(1), at.end(1), larger(number))
    offset = 0
    for line in code.split("\n"):
        if STATEMENT.match(line) and not DECLARATION.match(line):
            add("statement", offset, offset + len(line), ";")
        offset += len(line) + 1
    for at in re.finditer(r"\bif (?:constexpr )?\(", code):
        end = closing(code, at.end() - 1)
        condition = code[at.end():end] if end else ";"
        if "constexpr" in at.group():
            continue
        if ";" in condition:  # an initialiser: what follows it is the condition
            begin = at.end() + condition.rindex(";") + 1
            if condition.startswith(("auto ", "const ")) is False or end is None:
                continue
        else:
            begin = at.end()
        add("condition", begin, end, f" !({text[begin:end].strip()})" if ";" in condition else f"!({text[begin:end]})")
    return found
