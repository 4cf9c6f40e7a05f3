"""The pages of the theory: every equation names a function that exists and a test that exists, and no numbered one is missing."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
from checks import NAMED, named, source  # noqa: E402

PAGES = [page for page in sorted((DOCS / "theory").glob("*.md")) if page.stem != "tests"]
EQUATION = re.compile(r"^\$\$.*?\$\$ \(([\w-]+)\)$", re.DOTALL | re.MULTILINE)
OBJECT = re.compile(r"\{py:\w+\}`~?([\w.]+)`")
ALL = {name: page for page in PAGES for name in EQUATION.findall(page.read_text(encoding="utf-8"))}


def found(name: str) -> object:
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
    found: list[tuple[list[str], str]] = []
    for part in re.split(r"^##? ", text, flags=re.MULTILINE):
        waiting: list[str] = []
        _, *rest = EQUATION.split(part)
        for name, after in zip(rest[::2], rest[1::2], strict=True):
            waiting.append(name)
            if "Checked by" in after or "Computed by" in after:
                found.append((waiting, after))
                waiting = []
        found += [(waiting, "")] if waiting else []
    return found


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
        assert found(name) is not None


@pytest.mark.parametrize(("path", "name"), named(DOCS), ids=lambda x: x)
def test_tests_exist(path: str, name: str) -> None:
    assert source(path, name)


def test_what_does_not_exist_is_noticed() -> None:
    with pytest.raises(AttributeError):
        found("lagrangian.Dynamics.mass")
    with pytest.raises(KeyError):
        source("lectures/test_numbered.py", "test_equation_24")


# slips in the lectures, by the equation beside which they are to be noted, and a part of the note
SLIPS = {
    "g27-8": r"without the $\tfrac{1}{2}$ in two of them",
    "christoffel": r"and so are the general $c_{kj}$",
    "jacobian": "Printed there with $k < i$",
    "energy-rate": r"printed without a factor $\dot q$",
    "five-bar": r"with $m_2 l_2 l_{c3}$ in $d_{12}$, with $m_4 l_4^2$ in $d_{11}$, and with $P = \sum y_{ci}$",
    "two-r-points": r"with $m g L_1$ for $m_1 g L_1$, and with $\theta_1^2$ for $\dot\theta_1^2$",
    "g27-12": "printed with a minus",
    "g27-23": "without the bracket",
    "uicker-kahn-torque": "S14 says it the other way round",
    "state-space": "$M^{-1}$ before $f$ only",
    "runge-kutta": "predictor-corrector, which it is not",
    "deployable": "Its table of links is an image",
}


@pytest.mark.parametrize("equation", SLIPS)
def test_every_slip_of_the_lectures_is_noted_beside_its_equation(equation: str) -> None:
    text = ALL[equation].read_text(encoding="utf-8")
    after = text[text.index(f"$$ ({equation})") :].split("\n## ")[0]
    assert SLIPS[equation] in " ".join(after.split("\n"))
