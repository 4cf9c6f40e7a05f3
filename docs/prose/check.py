"""Checks the prose of pages and notebooks: `python docs/prose/check.py [FILE ...]`.

The rules are in rules.toml, and the words that no dictionary has are in words.txt. Code, formulas, directives and addresses
of links are left out; the rest of a page is read sentence by sentence. The first paragraph of a page has to say what the page
is for. Spelling is British; hunspell checks it where it is installed. tests/test_prose.py reads docstrings and help texts, too.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
RULES = tomllib.loads((FOLDER / "rules.toml").read_text(encoding="utf-8"))
KNOWN = {*(FOLDER / "words.txt").read_text(encoding="utf-8").split(), *RULES["symbols"]}
PATTERNS = [(re.compile(rule["pattern"], re.IGNORECASE), rule["say"], rule.get("tables", True)) for rule in RULES["rule"]]

FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)
MATHEMATICS = re.compile(r"\$\$.*?\$\$(?: \([\w-]+\))?|\$[^$\n]+\$", re.DOTALL)
ROLE = re.compile(r"\{[\w:]+\}`[^`]*`")
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)  # with tags and dollar signs in it
PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)|<https?:[^>]*>|https?:\S+")
COMMENT = re.compile(r"<!--.*?-->|<[^>\n]+>", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"'(\[*`])")
NO_PAGES = {"_build", "_made", "prose", "library"}  # what is made, and the rules themselves
# sections of a docstring with a name or a type in each line that is not indented
TYPED = {"Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns"}
WORD = re.compile(r"[A-Za-zÀ-ſ][A-Za-zÀ-ſ']*[A-Za-zÀ-ſ]")


@dataclass(frozen=True)
class Complaint:
    """Something in a text that a rule forbids."""

    where: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.what}"


def blank(values: re.Match[str]) -> str:
    """As many lines as before, so that numbers of lines stay true."""
    return "\n" * values.group(0).count("\n")


def prose(text: str) -> str:
    """The words of a Markdown text, with a letter in the place of code and formulas."""
    text = FENCE.sub(blank, text)
    for pattern in (ROLE, CODE, MATHEMATICS):
        text = pattern.sub(lambda m: " X" + blank(m), text)
    text = COMMENT.sub(blank, text)
    text = PICTURE.sub(r"\1", text)
    return LINK.sub(lambda m: m.group(1) or "X", text)


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and cells of tables, each with the number of its first line."""
    lines, first = [], 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        starts = re.match(r"\s*([-*+]|\d+\.)\s|#|\||:\w+:", line)
        if lines and (not line.strip() or starts):
            yield first, " ".join(lines)
            lines = []
        if line.lstrip().startswith("|"):
            yield from ((number, cell.strip()) for cell in line.strip().strip("|").split("|") if cell.strip(" -:"))
        elif line.strip() and not re.match(r":\w+:", line):
            first = first if lines else number
            lines.append(re.sub(r"^\s*([-*+]|\d+\.)\s+", "", line).strip())


def sentences(text: str) -> Iterator[tuple[int, str]]:
    for line, block in blocks(prose(text)):
        if not block.startswith("#"):
            for sentence in SENTENCE.split(block):
                if sentence.strip():
                    yield line, sentence.strip().strip("*_")


SPELT: dict[str, bool] = {}  # words that hunspell has looked at


def words_of(sentence: str) -> list[str]:
    """The words of a sentence, without values in quotes, ends of file names, and names with digits or underscores in them."""
    words = WORD.findall(re.sub(r'"[^" ]+"|[\w.]*[\d_.]\w+', " ", sentence))
    return [word.removesuffix("'s") for word in words]


def is_known(word: str) -> bool:
    """Whether words.txt has a word."""
    return word in KNOWN or word.lower() in KNOWN or len(word) == 1


def look_up(words: Iterable[str]) -> None:
    """Ask hunspell about words, all at once: it takes longer to start than to look up a word."""
    new = sorted({word for word in words if word not in SPELT})
    if new and (program := shutil.which("hunspell")):
        command = [program, "-d", "en_GB", "-i", "utf-8", "-l"]
        done = subprocess.run(command, input="\n".join(new), capture_output=True, text=True, check=True)
        wrong = set(done.stdout.split())
        SPELT.update((word, word not in wrong) for word in new)


def misspelt(words: Iterable[str]) -> set[str]:
    """Those that neither a dictionary nor words.txt has."""
    candidates = {word for word in words if not is_known(word)}
    look_up(candidates)
    return {word for word in candidates if not SPELT.get(word, True)}


def complaints(where: str, text: str) -> list[Complaint]:
    """What the rules say of a text."""
    result, words, lines = [], {}, text.splitlines()
    for line, sentence in sentences(text):
        cell = lines[line - 1].lstrip().startswith("|")
        for pattern, say, tables in PATTERNS:
            if (tables or not cell) and (match := pattern.search(sentence)):
                result.append(Complaint(where, line, f"{match.group(0)[:40]!r} in {sentence[:80]!r}. {say}"))
        length = len(sentence.split())
        if length > RULES["longest_sentence"]:
            result.append(Complaint(where, line, f"A sentence of {length} words: {sentence[:80]!r}. Split it."))
        words.update((word, line) for word in words_of(sentence))
    result += [Complaint(where, words[word], f"{word!r} is not in the dictionary.") for word in misspelt(words)]
    return sorted(result, key=lambda complaint: complaint.line)


def first_paragraph(where: str, text: str) -> list[Complaint]:
    """A page begins with its title and a paragraph that says what it is for."""
    _, _, rest = text.partition("\n# ") if not text.startswith("# ") else ("", "", text[2:])
    _, _, rest = rest.partition("\n")
    first = next((block for block in rest.split("\n\n") if block.strip()), "").strip()
    words = prose(first).split()
    if re.match(r"```|[|!#$:{-]", first) or len(words) < RULES["shortest_first_paragraph"] or words[-1][-1] not in ".:":
        return [Complaint(where, 3, "The first paragraph should say what the page is for, in a whole sentence.")]
    return []


def pages() -> list[Path]:
    """Every page of the documentation, the README and the changelog."""
    docs = ROOT / "docs"
    return [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *sorted(page for page in docs.rglob("*.md") if not NO_PAGES.intersection(page.relative_to(docs).parts)),
    ]


def notebooks() -> list[Path]:
    """The notebooks of the lectures."""
    return sorted((ROOT / "docs" / "lectures").glob("*.ipynb"))


def text_of(path: Path) -> str:
    """A page, or the text of a notebook: its cells of Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def in_table(lines: list[str], at: int) -> bool:
    """Whether a line is part of a table, between rows of signs of equality."""
    border = [i for i, line in enumerate(lines) if re.fullmatch(r"\s*=+(\s+=+)+\s*", line)]
    return bool(border) and border[0] <= at <= border[-1]


def of_docstring(docstring: str) -> str:
    """The sentences of a numpydoc docstring as Markdown: without its examples, tables, headings and labels of parameters."""
    lines = inspect.cleandoc(docstring).splitlines()
    prose_lines, section = [], ""
    for number, line in enumerate(lines, 1):
        below = lines[number] if number < len(lines) else ""
        if below and set(below.strip()) == {"-"} and line.strip():
            section = line.strip()
            prose_lines.append("")
        elif set(line.strip()) == {"-"} or section in ("Examples", "See Also", "References"):
            prose_lines.append("")
        elif section in TYPED or in_table(lines, number - 1):
            prose_lines.append("")  # names, types and labels
        elif re.match(r"\s*(>>>|\.\.\.|\.\. \w+::)", line):
            prose_lines.append("")
        else:
            prose_lines.append(line)
    return re.sub(r":\w+:`([^`]*)`", r"`\1`", "\n".join(prose_lines))


def of_page(page: Path) -> list[Complaint]:
    text = text_of(page)
    where = page.resolve().relative_to(ROOT).as_posix()
    return first_paragraph(where, text) + complaints(where, text)


if __name__ == "__main__":
    named = [Path(name) for name in sys.argv[1:]] or [*pages(), *notebooks()]
    look_up(
        word for page in named for _, sentence in sentences(text_of(page)) for word in words_of(sentence) if not is_known(word)
    )
    messages = [complaint for page in named for complaint in of_page(page)]
    print(*messages, sep="\n", end="\n" if messages else "")
    sys.exit(bool(messages))
