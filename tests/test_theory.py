"""The pages of the theory: every equation names its source, a function and a test that exist; no numbered one is missing."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
from checks import NAMED, named_tests, source  # noqa: E402

PAGES = [page for page in sorted((DOCS / "theory").glob("*.md")) if page.stem != "tests"]
EQUATION = re.compile(r"^\$\$.*?\$\$ \(([\w-]+)\)$", re.DOTALL | re.MULTILINE)
SOURCE = re.compile(r"^- \*\*Source:\*\* (.*?)\.$(?=\n- |\n\n|\Z)", re.DOTALL | re.MULTILINE)
OBJECT = re.compile(r"\{py:\w+\}`~?([\w.]+)`")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)  # comments in it look like headings
ALL = {name: page for page in PAGES for name in EQUATION.findall(page.read_text(encoding="utf-8"))}


def find_object(name: str) -> object:
    """The object of a dotted name: the longest part that is a module, then attributes."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: object = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            value = getattr(value, part) if hasattr(value, part) else field(value, part)
        return value
    raise ModuleNotFoundError(name)


def field(owner: object, name: str) -> object:
    """A field of a dataclass has no value of its own."""
    fields = getattr(owner, "__dataclass_fields__", {})
    if name not in fields and name not in getattr(owner, "__annotations__", {}):
        raise AttributeError(f"{owner} has no {name}")
    return name


def test_every_numbered_equation_is_there() -> None:
    """Lecture 27 numbers (1) to (23)."""
    assert {name for name in ALL if name.startswith("g27-")} == {f"g27-{k}" for k in range(1, 24)}


def groups(text: str) -> list[tuple[list[str], str]]:
    """Equations that stand together, by name, and what is said after them, up to the next ones or the next heading."""
    results: list[tuple[list[str], str]] = []
    for part in re.split(r"^##? ", CODE.sub("", text), flags=re.MULTILINE):
        waiting: list[str] = []
        _, *rest = EQUATION.split(part)
        for name, after in zip(rest[::2], rest[1::2], strict=True):
            waiting.append(name)
            if "Checked by" in after or "Computed by" in after:
                results.append((waiting, after))
                waiting = []
        results += [(waiting, "")] if waiting else []
    return results


def known_sources() -> list[str]:
    """The short names that the overview explains, and two words for formulas that come from nowhere else."""
    overview = (DOCS / "theory" / "index.md").read_text(encoding="utf-8")
    _, _, sources = overview.partition("\n## Sources\n")
    return [*re.findall(r"^- \*\*([^*]+)\*\*: ", sources.partition("\n## ")[0], re.MULTILINE), "Definition", "Derived here"]


def sources(after: str) -> list[str]:
    """The parts of the line `Source` that follows an equation."""
    line = SOURCE.search(after)
    return " ".join(line.group(1).split()).split("; ") if line else []


def missing_number(name: str, named: list[str]) -> bool:
    """Whether a numbered equation is not named with its number in the lecture."""
    number = name.removeprefix("g27-")
    lecture = [part for part in named if re.match(r"Ghosal, lecture 27, equations? ", part)]
    return name != number and not any(f"({number})" in part for part in lecture)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_equation_has_a_source(page: Path) -> None:
    """Each part of it begins with a name that the overview explains."""
    for names, after in groups(page.read_text(encoding="utf-8")):
        named = sources(after)
        assert named, names
        for part in named:
            assert part.startswith(tuple(known_sources())), f"{names}: {part}"
        assert not [name for name in names if missing_number(name, named)]


def test_an_equation_without_a_source_is_noticed() -> None:
    assert sources("\n\n- **Computed by** x.\n") == []
    assert sources("\n\n- **Source:** Craig, chapter 6; Ghosal,\n  lecture 27, equation (1).\n- **Computed by** x.\n") == [
        "Craig, chapter 6",
        "Ghosal, lecture 27, equation (1)",
    ]
    assert missing_number("g27-2", ["Ghosal, lecture 27, equation (1)"])
    assert not missing_number("g27-2", ["Ghosal, lecture 27, equations (1) and (2)"])
    assert not missing_number("pose", ["Craig, chapter 3"])


def test_every_source_is_used() -> None:
    """Goldstein and Haug are named by the lecture."""
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES if page.stem != "index")
    assert [name for name in known_sources() if name not in " ".join(texts.split())] == []


def sections(page: Path) -> list[tuple[str, str]]:
    """Headings and what follows them."""
    parts = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [(heading, text) for heading, _, text in (part.partition("\n") for part in parts)]


def test_the_overview_lists_every_formula() -> None:
    """In the order of the pages, with the numbers of the lecture."""
    overview = (DOCS / "theory" / "index.md").read_text(encoding="utf-8")
    order = re.search(r"```{toctree}\n:hidden:\n\n(.*?)```", overview, re.DOTALL)
    assert order
    rows = []
    for name in order.group(1).split():
        page = DOCS / "theory" / f"{name}.md"
        title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        for heading, text in sections(page):
            if labels := EQUATION.findall(text):
                anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
                numbers = ", ".join(f"{{eq}}`{label}`" for label in labels if label.startswith("g27-"))
                rows.append(f"| {numbers} | [{heading}]({name}.md#{anchor}) | [{title}]({name}.md) |")
    _, _, table = overview.partition("| Number | Formula | Page |\n| --- | --- | --- |\n")
    assert table.partition("\n\n")[0].splitlines() == rows


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_equation_is_computed_and_checked(page: Path) -> None:
    """After equations stand the functions that compute them and a test for each; numbered ones have one of that number."""
    for names, after in groups(page.read_text(encoding="utf-8")):
        computed, _, checked = after.partition("Checked by")
        assert "Computed by" in computed, names
        assert OBJECT.search(computed), names
        tests = NAMED.findall(checked)
        assert len(set(tests)) >= len(names), names
        for name in names:
            if name.startswith("g27-"):
                assert ("lectures/test_numbered.py", f"test_equation_{name[4:]}") in tests, name


def test_an_equation_without_a_test_is_noticed() -> None:
    """Also where others stand under the same heading."""
    first = "## A\n\n$$a$$ (a)\n\nWords.\n\n"
    second = "$$b$$ (b)\n\n- Computed by x.\n- Checked by y.\n"
    assert groups(first + second) == [(["a", "b"], "\n\n- Computed by x.\n- Checked by y.\n")]
    assert groups(first + "## B\n\n" + second)[0] == (["a"], "")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_functions_exist(page: Path) -> None:
    for name in OBJECT.findall(page.read_text(encoding="utf-8")):
        assert find_object(name) is not None


@pytest.mark.parametrize(("path", "name"), named_tests(DOCS), ids=lambda x: x)
def test_tests_exist(path: str, name: str) -> None:
    assert source(path, name)


def test_what_does_not_exist_is_noticed() -> None:
    with pytest.raises(AttributeError):
        find_object("lagrangian.Dynamics.mass")
    with pytest.raises(KeyError):
        source("lectures/test_numbered.py", "test_equation_24")


# slips in the lectures, by the equation beside which they are to be noted, and a part of the note
SLIPS = {
    "g27-8": r"$K = \dot\theta^T M \dot\theta$",
    "mass-matrix": r"$K = \sum d_{ij}\,\dot q_i\,\dot q_j$",
    "christoffel": r"omit the $\tfrac{1}{2}$ twice",
    "jacobian": "the columns for $k < i$",
    "energy-rate": r"without a factor $\dot q$",
    "five-bar-m": r"$m_2 l_2 l_{c3}$ for $m_3 l_2 l_{c3}$ in $d_{12}$ and in the condition, $m_4 l_4^2$ for $m_4 l_1^2$",
    "five-bar": r"$P = \sum y_{ci}$ for $\sum m_i g\,y_{ci}$",
    "two-r": "$c_{222} = -h$",
    "two-r-points": r"$m g L_1$ for $m_1 g L_1$ in the potential energy, and $\theta_1^2$ for $\dot\theta_1^2$",
    "dalembert": r"without $\delta$",
    "generalised-forces": "power *dissipated*",
    "g27-12": "(12) with a minus sign",
    "g27-18": r"without $\Psi\,\ddot q$",
    "g27-23": "without the bracket",
    "uicker-kahn-torque": r"$\tau$ if the joint is prismatic and $f$ if it is revolute",
    "uicker-kahn": "gravity vector in frame $j$",
    "state-space": "$M^{-1}$ before $f$ only",
    "runge-kutta": "predictor-corrector method",
    "circle": "120 or 130 Newton meter",
    "deployable": "the table of links is an image",
}


@pytest.mark.parametrize("equation", SLIPS)
def test_every_slip_of_the_lectures_is_noted_beside_its_equation(equation: str) -> None:
    text = ALL[equation].read_text(encoding="utf-8")
    after = " ".join(text[text.index(f"$$ ({equation})") :].split("\n## ")[0].split())
    noted = after[after.index("- **Gap:**" if equation == "deployable" else "- **Slip:**") :]
    assert SLIPS[equation] in noted


def test_the_overview_lists_every_slip() -> None:
    """Each section that notes one is in the table, and no other."""
    overview = (DOCS / "theory" / "index.md").read_text(encoding="utf-8")
    _, _, table = overview.partition("## Slips in the lectures")
    noted = {
        f"[{heading}]({page.name}#"
        for page in PAGES
        if page.stem != "index"
        for heading, text in sections(page)
        if "**Slip:**" in text
    }
    assert {match + "#" for match in re.findall(r"(\[[^\]]+\]\(\w+\.md)#", table)} == noted
