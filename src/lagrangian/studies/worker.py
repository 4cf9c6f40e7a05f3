"""A process that computes chunks of a study for the one that started it: `python -m lagrangian.studies.worker`.

It reads what it needs from its standard input: a pickled head, then the number of a chunk on each line. For each it answers one
line of JSON. When its input ends, because the other process is done or dead, it ends.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import types
from typing import Any, BinaryIO

from lagrangian.errors import LagrangianError

IN_WORKER = "LAGRANGIAN_STUDY_WORKER"  # in the environment of such a process


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a user's function prints is no answer
    os.environ[IN_WORKER] = "1"
    given = sys.stdin.buffer
    try:
        data, folder = _begin(pickle.load(given))
        _answer(answers, {"ready": True})
        _serve(given, answers, data, folder)
    except BrokenPipeError:  # nobody listens any more
        os._exit(0)
    except BaseException as error:
        told = isinstance(error, LagrangianError)  # of the study, in words for its user
        _answer(answers, {"error": str(error) if told else f"{type(error).__name__}: {error}", "told": told})


def _begin(head: dict[str, Any]) -> tuple[bytes, str]:
    """Find modules where the other process found them, its main program among them."""
    sys.path[:], sys.argv[:] = head["path"], head["argv"]
    if head["main"]:
        import runpy

        module = types.ModuleType("__main__")
        module.__dict__.update(runpy.run_path(head["main"], run_name="__mp_main__"))
        sys.modules["__main__"] = module
    return head["job"], head["folder"]


def _serve(given: BinaryIO, answers: BinaryIO, data: bytes, folder: str) -> None:
    from lagrangian.studies.compute import compute_packed

    for line in given:
        chunk = int(line)
        _answer(answers, {"chunk": chunk, "computed": compute_packed(data, folder, chunk)})


def _answer(answers: BinaryIO, content: dict[str, Any]) -> None:
    answers.write(json.dumps(content).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
