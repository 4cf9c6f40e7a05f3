"""Write what follows from docs/reference/renamed.csv: `python docs/renamed_names.py`.

That is the table of renamed names in CHANGELOG.md, and the file from which messages of the package know successors.

A row of renamed.csv is `old,new`; an empty second field is a name that went without a successor. CHANGELOG shows the public
names, commands and options, and classes of modules with their members; the modules, which are far more, stand in renamed.csv
alone.
"""

from __future__ import annotations

import csv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "reference" / "renamed.csv"
CHANGELOG = ROOT / "CHANGELOG.md"
PACKAGE_TABLE = ROOT / "src" / "lagrangian" / "renamed.csv"
BEGIN, END = "<!-- renamed names: begin -->\n", "<!-- renamed names: end -->\n"


def read_renamed_names(path: Path = TABLE) -> list[tuple[str, str]]:
    """The rows of the table without its heading."""
    with path.open(encoding="utf-8", newline="") as file:
        return [(row[0], row[1]) for row in csv.reader(file)][1:]


def changelog_table(rows: list[tuple[str, str]]) -> str:
    """The public names of the rows as a table in Markdown."""
    lines = ["| Before | Now |\n", "| --- | --- |\n"]
    lines += [f"| `{old}` | {f'`{new}`' if new else 'removed'} |\n" for old, new in rows if not is_module(old)]
    return "".join(lines)


def is_module(name: str) -> bool:
    """Whether an old name is that of a module, or of a function in one that is not public."""
    return name.startswith("lagrangian.") and not any(part[:1].isupper() for part in name.split("."))


def with_table(changelog: str, rows: list[tuple[str, str]]) -> str:
    """The text of CHANGELOG.md with the table of these rows."""
    start, end = changelog.index(BEGIN) + len(BEGIN), changelog.index(END)
    return changelog[:start] + "\n" + changelog_table(rows) + "\n" + changelog[end:]


def package_table(rows: list[tuple[str, str]]) -> str:
    """The rows of public names, as the file of the package has them."""
    return "".join(f"{old},{new}\n" for old, new in rows if not old.startswith("lagrangian."))


if __name__ == "__main__":
    PACKAGE_TABLE.write_text(package_table(read_renamed_names()), encoding="utf-8")
    CHANGELOG.write_text(with_table(CHANGELOG.read_text(encoding="utf-8"), read_renamed_names()), encoding="utf-8")
