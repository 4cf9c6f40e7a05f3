"""Entries are found where they stand: compared with what the TOML reader of Python itself reads."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from lagrangian.description.load import library_names
from lagrangian.studio.text_positions import character_offset, line_column, utf16_offset
from lagrangian.studio.toml_places import TomlNode, scan_toml
from tests.studio.conftest import text


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        return [x for key, below in value.items() for x in leaves(below, (*path, key))]
    if isinstance(value, list) and any(isinstance(x, dict | list) for x in value):
        return [x for k, below in enumerate(value) for x in leaves(below, (*path, k))]
    return [(path, value)]


@pytest.mark.parametrize("name", library_names())
def test_every_entry_of_the_library_is_found(name: str) -> None:
    source = text(name)
    root = scan_toml(source)
    for path, value in leaves(tomllib.loads(source)):
        node, steps = root.find(path)
        assert steps == len(path), path
        assert tomllib.loads(f"x = {source[slice(*node.span)]}")["x"] == value


ODD = """# [[body]] in a comment
"quoted key" = 'li]te"ral'
a.b.c = 1 # = 2
multi = \"\"\"
[not.a.table]
x = "\"\"\"
[t]
arr = [ # one
  1, [2, { y = "}", z = [3] }], # two = 2
]
[[e]]
n = 'x'
[[e]]
n = 'é😀' ; broken
m = 2
[[e.f]]
g = -1_000.5e3
"""


def test_odd_texts_are_scanned_and_broken_lines_passed_over() -> None:
    root = scan_toml(ODD)

    def at(*path: Any) -> str:
        node, steps = root.find(path)
        assert steps == len(path)
        return ODD[slice(*node.span)]

    assert at("quoted key") == "'li]te\"ral'"
    assert at("a", "b", "c") == "1"
    assert at("t", "arr", 1, 1, "y") == '"}"'
    assert at("e", 1, "m") == "2"
    assert at("e", 1, "f", 0, "g") == "-1_000.5e3"
    assert "not" not in root.entries


def test_deep_nesting_ends() -> None:
    deep = scan_toml("x = " + "[" * 100_000)
    assert isinstance(deep, TomlNode)
    scan_toml("[" + "a." * 5000 + "b]\nx = 1")


def test_places_are_counted_as_javascript_does() -> None:
    values = "a😀b\né😀😀c"
    assert utf16_offset(values, values.index("c")) == 10
    assert [character_offset(values, k) for k in (0, 1, 3, 10)] == [0, 1, 2, values.index("c")]
    assert line_column(values, values.index("c")) == (2, 6)
