"""Code of others is what was published: unchanged, and with its licence."""

from __future__ import annotations

import hashlib
import tomllib
from importlib.resources import files

FOLDER = files("lagrangian.vendored")
SOURCES = tomllib.loads((FOLDER / "SOURCES.toml").read_text(encoding="utf-8"))["file"]


def test_every_file_has_the_hash_that_is_written_down():
    for source in SOURCES:
        data = (FOLDER / source["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == source["sha256"], source["path"]


def test_every_file_is_listed_and_has_a_licence():
    listed = {source["path"] for source in SOURCES}
    for package in FOLDER.iterdir():
        if package.is_dir() and not package.name.startswith("__"):
            names = {f"{package.name}/{file.name}" for file in package.iterdir()}
            assert names - listed == {f"{package.name}/LICENSE"}
