"""Names of the code keep to `docs/prose/STYLE.md`: no bare participles, one class a name, few modules that one sibling imports.

`docs/prose/participles.txt` lists functions that still have such a name. It may only shrink: a name that is gone from the code
has to leave the list.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "lagrangian"
ALLOWED = set((ROOT / "docs" / "prose" / "participles.txt").read_text(encoding="utf-8").split())
IRREGULAR = {
    "told",
    "given",
    "made",
    "kept",
    "led",
    "found",
    "known",
    "seen",
    "held",
    "taken",
    "drawn",
    "shown",
    "written",
    "met",
    "built",
    "sent",
    "said",
    "thought",
    "brought",
    "bought",
    "caught",
    "done",
    "gone",
    "grown",
    "left",
    "lost",
    "meant",
    "paid",
    "sold",
    "sought",
    "spoken",
    "spent",
    "stuck",
    "torn",
    "thrown",
    "understood",
    "won",
    "worn",
}
NOUNS_AND_VERBS = {"speed", "seed", "feed", "embed", "exceed", "proceed", "succeed", "need"}
# folders where each file is one type of a kind: there a module that only the registry imports is what is wanted
REGISTRIES = {"joints", "loops", "targets", "integrators", "tableaus", "commands", "constraints"}
MAX_LONE_SHARE = 0.1335


def is_participle(name: str) -> bool:
    words = name.strip("_").split("_")
    regular = words[0].endswith("ed") and len(words[0]) > 4 and words[0] not in NOUNS_AND_VERBS
    return len(words) == 1 and (words[0] in IRREGULAR or regular)


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {node.id if isinstance(node, ast.Name) else getattr(node, "attr", "") for node in function.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


@cache
def trees(folder: Path) -> tuple[tuple[str, ast.Module], ...]:
    """The modules of a folder, by their dotted names."""
    return tuple(
        (".".join(path.relative_to(folder.parent).with_suffix("").parts), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(folder.rglob("*.py"))
    )


def participles(folder: Path) -> set[str]:
    """The functions that are called by a participle alone; a property may be an adjective."""
    return {
        node.name
        for _, tree in trees(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name) and not is_property(node)
        if not node.name.startswith("__")
    }


@pytest.mark.parametrize("name", ["told", "_kept", "rubbed", "moved"])
def test_a_bare_participle_is_recognised(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["speed", "load_or_store", "found_in", "red", "seed", "constraint_ranks"])
def test_nouns_and_phrases_are_no_participles(name: str) -> None:
    assert not is_participle(name)


def test_functions_are_verb_phrases_or_nouns() -> None:
    assert participles(PACKAGE) <= ALLOWED


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "examples", "docs"])
def test_functions_around_the_package_are_verb_phrases_or_nouns(folder: str) -> None:
    assert participles(ROOT / folder) == set()


def test_the_list_of_allowed_participles_only_shrinks() -> None:
    assert participles(PACKAGE) >= ALLOWED, "names that are gone from the code leave docs/prose/participles.txt"


def test_each_class_has_a_name_of_its_own() -> None:
    modules = defaultdict(list)
    for module, tree in trees(PACKAGE):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(module)
    assert {name: places for name, places in modules.items() if len(places) > 1} == {}


def test_few_modules_are_fragments_of_one_other() -> None:
    """A module that one sibling alone imports mostly belongs into that sibling."""
    importers = defaultdict(set)
    names = []
    for module, tree in trees(PACKAGE):
        names.append(module)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lagrangian"):
                for imported in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                    importers[imported].add(module)
    lone = [
        module
        for module in names
        if len(importers[module]) == 1
        and not module.endswith("__init__")
        and next(iter(importers[module])).rpartition(".")[0] == module.rpartition(".")[0]
        and not REGISTRIES & set(module.split(".")[:-1])
    ]
    assert len(lone) <= MAX_LONE_SHARE * len(names), f"{len(lone)} of {len(names)}: {', '.join(lone)}"
