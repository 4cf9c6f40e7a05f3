"""`python -m tests.fuzz`: many inputs, counts of what became of them, and files of those with faults."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.families import FAMILIES, examine_input, make_input, numbers
from tests.fuzz.outcome import Outcome
from tests.fuzz.workers import outcomes


class Tally:
    """Counts, and the first examples of every fault."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self.folder = seed, folder
        self.reached: Counter[str] = Counter()
        self.faults: Counter[tuple[str, str]] = Counter()
        self.first: dict[tuple[str, str], int] = {}
        self.count = 0

    def add(self, number: int, outcome: Outcome) -> None:
        self.count += 1
        self.reached.update(set(outcome.reached))
        for fault in outcome.faults:
            cause = (fault.kind, fault.what)
            self.faults[cause] += 1
            if self.faults[cause] <= 3:
                self.keep(number, fault.kind, f"{fault.kind}: {fault.what}\n\n{fault.detail}\n")
            if cause not in self.first:
                self.first[cause] = number
                print(f"\r{number}: {fault.kind}: {fault.what}", flush=True)

    def keep(self, number: int, kind: str, text: str) -> None:
        """The input and what is known of its fault, by its seed and number."""
        self.folder.mkdir(parents=True, exist_ok=True)
        case = make_input(self.seed, number)
        stem = f"seed{self.seed}-{number}-{kind.replace(' ', '-')}"
        (self.folder / f"{stem}{case.suffix}").write_bytes(case.data)
        (self.folder / f"{stem}.log").write_text(text)

    def __str__(self) -> str:
        lines = [f"{self.count} inputs of seed {self.seed}", ""]
        lines += [f"{count:8}  {what}" for what, count in sorted(self.reached.items())]
        kinds: Counter[str] = Counter()
        for (kind, _), count in self.faults.items():
            kinds[kind] += count
        lines += ["", "faults: " + (", ".join(f"{n} {kind}" for kind, n in kinds.items()) or "none")]
        lines += [f"{n:8}  {kind}: {what}  (--only {self.first[kind, what]})" for (kind, what), n in self.faults.most_common()]
        return "\n".join(lines)


def with_progress(results: Iterator[tuple[int, Outcome]], total: int) -> Iterator[tuple[int, Outcome]]:
    """The same, with a line that says how far it is."""
    began, done = time.monotonic(), 0
    for done, result in enumerate(results, 1):
        if sys.stdout.isatty() or done % 500 == 0:
            end = "" if sys.stdout.isatty() else "\n"
            print(f"\r{done} of {total}, {done / (time.monotonic() - began):.1f}/s ", end=end, flush=True)
        yield result


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many inputs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    parser.add_argument("--deep", type=float, default=0.25, help="the part of mechanisms that is compiled and run")
    parser.add_argument(
        "--family", action="append", choices=FAMILIES, default=[], help="only inputs of this family; may be repeated"
    )
    parser.add_argument("--only", type=int, help="one input, in this process: its text, what became of it, and tracebacks")
    parser.add_argument("--folder", type=Path, default=Path("fuzz-faults"), help="where inputs with faults are kept")
    options = parser.parse_args()
    if options.only is not None:
        return replay(options.seed, options.only)
    tally = Tally(options.seed, options.folder)
    chosen = numbers(options.seed, options.first, options.count, options.family)
    try:
        for number, outcome in with_progress(outcomes(chosen, options.seed, options.deep, options.workers), options.count):
            tally.add(number, outcome)
    except KeyboardInterrupt:
        print("\ninterrupted")
    print(f"\n{tally}")
    return 1 if tally.faults else 0


def replay(seed: int, number: int) -> int:
    case = make_input(seed, number)
    print(case.data.decode(errors="backslashreplace") if case.suffix != ".nc" else f"{len(case.data)} bytes")
    outcome = examine_input(seed, number, deep=1.0)
    print(*outcome.reached, sep="\n")
    for fault in outcome.faults:
        print(f"\n{fault.kind}: {fault.what}\n{fault.detail}")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
