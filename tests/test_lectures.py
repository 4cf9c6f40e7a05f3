"""The notebooks of docs/lectures run, and show what is stored in them.

Text is compared by `tests/printed.py`, formulas exactly; of pictures and animations it counts that they are there.
`python -m tests.test_lectures --sync [NAME ...]` executes the notebooks, or those named, and stores what they show.
"""

from __future__ import annotations

import base64
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS / "extensions"))
sys.path.insert(0, str(DOCS.parent))
from notebooks import plain  # noqa: E402

from tests.printed import same_line  # noqa: E402

NOTEBOOKS = sorted((DOCS / "lectures").glob("*.ipynb"))
FAST = {"2_two_link_arm"}  # the others run with `-m slow`
LARGEST = 1_000_000  # bytes
KEPT = ("image/png", "image/gif", "text/html", "text/latex", "text/plain")
COLOURS = 96  # of a stored picture


def execute_notebook(path: Path, folder: Path) -> Any:
    """The notebook, executed in a folder, with the outputs in the form in which they are stored."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", store_widget_state=False, resources={"metadata": {"path": str(folder)}}
    )
    surroundings = {
        **os.environ,
        "COLUMNS": "110",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(DOCS.parent / "src"), os.environ.get("PYTHONPATH", "")])),
    }
    client.execute(env=surroundings)
    return without_volatile_parts(notebook)


def without_volatile_parts(notebook: Any) -> Any:
    """Without what changes from run to run and what only a live kernel can show; pictures with few colours are small."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    count = 0
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = list(stored_outputs(cell.outputs, count))
    return notebook


def stored_outputs(outputs: list[Any], count: int) -> Iterator[Any]:
    import nbformat

    text = ""
    for output in outputs:
        if output.output_type == "stream":
            text += output.text
    if text := plain(text):
        yield nbformat.v4.new_output("stream", name="stdout", text=text + "\n")
    for output in outputs:
        if output.output_type == "stream":
            continue
        if output.output_type == "execute_result":
            output.execution_count = count
        output.data = {kind: output.data[kind] for kind in KEPT if kind in output.get("data", {})}
        if "image/png" in output.data:
            output.data["image/png"] = small(output.data["image/png"])
            output.data.pop("text/html", None)
        yield output


def small(picture: str) -> str:
    from PIL import Image

    stream = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def visible_outputs(cell: Any) -> list[tuple[str, str]]:
    """What a cell shows: kinds, and for text and formulas what they say."""
    results = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            results.append(("text", output["text"]))
        else:
            data = output["data"]
            kind = next(kind for kind in KEPT if kind in data)
            results.append((kind, "" if kind.startswith("image") else data["text/plain"]))
    return results


def compare(actual: Any, expected: Any, where: str) -> None:
    assert [kind for kind, _ in actual] == [kind for kind, _ in expected], where
    for (_, ours), (_, theirs) in zip(actual, expected, strict=True):
        lines, reference = ours.splitlines(), theirs.splitlines()
        assert len(lines) == len(reference), f"{where}:\n{ours}\nstored is\n{theirs}"
        for line, want in zip(lines, reference, strict=True):
            assert same_line(line, want), f"{where}:\n{line}\nstored is\n{want}"


def each() -> list[Any]:
    return [pytest.param(path, id=path.stem, marks=[] if path.stem in FAST else [pytest.mark.slow]) for path in NOTEBOOKS]


@pytest.mark.parametrize("path", each())
def test_notebook_shows_what_is_stored(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    before = nbformat.read(path, as_version=4)
    now = execute_notebook(path, tmp_path)
    for number, (cell, old) in enumerate(zip(now.cells, before.cells, strict=True)):
        if cell.cell_type == "code":
            compare(visible_outputs(cell), visible_outputs(old), f"{path.name}, cell {number}:\n{cell.source}")


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in NOTEBOOKS])
def test_stored_notebook(path: Path) -> None:
    """Every code cell ran, in order and without errors; there are plots, an animation, slides, exercises and solutions."""
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.stat().st_size < LARGEST
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    kinds = [kind for cell in code for kind, _ in visible_outputs(cell)]
    assert {"image/png", "text/html", "text/latex", "text"} <= set(kinds)
    assert any("--check" in cell.source for cell in code)
    assert any("solution" in cell.metadata.get("tags", []) for cell in code)
    types = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in notebook.cells]
    assert types.count("slide") >= 8
    assert max(map(len, "\n".join(cell.source for cell in code).splitlines())) <= 100


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in NOTEBOOKS])
def test_prose_of_a_notebook(path: Path) -> None:
    sys.path.insert(0, str(DOCS / "prose"))
    import json

    import check

    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown") + "\n"
    assert not [*check.complaints(path.name, text), *check.first_paragraph(path.name, text)]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in NOTEBOOKS])
def test_slides_stand_alone(path: Path) -> None:
    """One page without addresses to fetch from; formulas are MathML, and solutions are not in it."""
    pytest.importorskip("myst_parser")
    import json

    import slides

    notebook = json.loads(path.read_text(encoding="utf-8"))
    page = slides.deck(notebook)
    outside = re.sub(r'data-page="[^"]*"', "", page)  # an animation is a page with tests of its own
    assert not re.findall(r"""(?:src|href)=["'](?!data:)""", outside)
    assert not re.findall(r"@import|url\(", outside)
    assert outside.count("<section") >= 15
    assert "<math" in outside
    assert "data:image/png" in outside
    assert "$" not in re.sub(r"<(script|style).*?</\1>|<pre.*?</pre>", "", outside, flags=re.DOTALL)
    solutions = ["".join(cell["source"]) for cell in notebook["cells"] if "solution" in cell["metadata"].get("tags", [])]
    assert solutions
    assert not [text for text in solutions if text.splitlines()[-2] in page and len(text.splitlines()[-2]) > 20]


def test_page_of_a_notebook() -> None:
    """Markdown stays as it is, and each code cell, folded solutions too, has its place."""
    import json

    import notebooks

    path = NOTEBOOKS[0]
    notebook = json.loads(path.read_text(encoding="utf-8"))
    page = notebooks.markdown(notebook, path.stem)
    code = [number for number, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code"]
    assert [int(number) for number in re.findall(r"\{notebook-cell\} (\d+)", page)] == code
    assert page.count("<details") == page.count("</details>") >= 2
    assert f"<{path.name}>" in page
    kinds = [output.kind for cell in notebook["cells"] for output in notebooks.outputs(cell)]
    assert {"text", "math", "picture", "animation"} <= set(kinds)
    assert not {"html"} & set(kinds)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b[31mline 1: M[1,1] is wrong\x1b[0m\r\n", "line 1: M[1,1] is wrong"),
        ("50%\r100%\n", "100%"),
        ("deriving rp            0% -:--:-- left\nline 1: G[1] is right\n", "line 1: G[1] is right"),
    ],
)
def test_printed_text_is_plain(raw: str, clean: str) -> None:
    assert plain(raw) == clean


def sync(names: list[str]) -> None:
    import tempfile

    import nbformat

    for path in NOTEBOOKS:
        if not names or path.stem in names:
            with tempfile.TemporaryDirectory() as folder:
                nbformat.write(execute_notebook(path, Path(folder)), path)
            print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--sync"]:
        sys.exit(__doc__)
    sync(sys.argv[2:])
