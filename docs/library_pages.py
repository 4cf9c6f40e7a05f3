"""Makes what the site shows of every mechanism of the library: `python docs/library_pages.py`, or some of them by name.

Each gets a page that computes its motion, `_made/extra/pages/NAME.html`, and its equations, `_made/equations/NAME.md`. A file is
made again only when the mechanism or the package has changed. From an empty cache of kernels all of them take a minute or two;
without them the site lacks these pages and equations alone.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import lagrangian as lg

MADE = Path(__file__).parent / "_made"
LIMIT = 120.0  # seconds for the equations of one mechanism


def version() -> str:
    """A hash of the package's own files."""
    package = Path(lg.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".js", ".css", ".toml", ".html"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def make(name: str, stamp: str) -> str:
    """The files of one mechanism; a sentence about what was done."""
    stamp_file = MADE / "stamps" / name
    if stamp_file.exists() and stamp_file.read_text(encoding="utf-8") == stamp:
        return f"{name} is up to date"
    mechanism = lg.library(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a library mechanism may end early, at its event
        lg.simulate(mechanism).animate(MADE / "extra" / "pages" / f"{name}.html")
        lg.derive(mechanism, limit=LIMIT).save(MADE / "equations" / f"{name}.md")
    stamp_file.write_text(stamp, encoding="utf-8")
    return f"{name} is made"


def main(names: list[str]) -> None:
    for folder in ("extra/pages", "equations", "stamps"):
        (MADE / folder).mkdir(parents=True, exist_ok=True)
    stamp = version()
    with ProcessPoolExecutor() as pool:
        for line in pool.map(make, names, [stamp] * len(names)):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(lg.library()))
