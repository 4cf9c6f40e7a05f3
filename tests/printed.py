"""When two printed texts say the same: words alike, numbers as far as another processor would print them too."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
ROUNDING = 1e-10  # numbers below this are roundings: only their order of magnitude is a statement
SIZE = re.compile(r"\d(\.\d)?e-\d+")  # an error told by its size, with one or two digits
COUNTED = re.compile(r"\d+(?= steps| rejected)")  # a few more or less on another processor


def last_digit(number: str) -> float:
    """What one more in the last digit of a decimal is; counts have none that may differ."""
    _, point, decimals = number.partition(".")
    return 10.0 ** -len(decimals) if point and decimals.isdigit() else 0.0


def alike(actual: str, shown: str) -> bool:
    """Whether two printed numbers say the same, as far as another processor would print it too.

    Numbers agree to 2e-3, or differ by one in the last digit where that is less than 2 %. Errors that are told by their size
    agree within a factor of two, and roundings within two orders of magnitude; zero counts as one rounding of a number near one.
    """
    a, b = float(actual), float(shown)
    small, large = sorted((abs(a), abs(b)))
    if abs(a - b) <= max(2e-3 * large, min(1.01 * last_digit(shown), 0.02 * large)):
        return True
    if large < ROUNDING:
        return large <= 100 * max(small, 2**-53)
    return bool(SIZE.fullmatch(actual) and SIZE.fullmatch(shown)) and large <= 2 * small


def same_line(actual: str, shown: str) -> bool:
    """Whether every word, every number and every count of steps is the same."""

    def words(line: str) -> list[str]:
        return NUMBER.sub("#", line).replace("[", "[ ").split()  # arrays print a blank or a sign after it

    def counts(line: str) -> list[int]:
        return [int(count) for count in COUNTED.findall(line)]

    def numbers(line: str) -> list[str]:
        return NUMBER.findall(COUNTED.sub("", line))

    return (
        words(actual) == words(shown)
        and all(abs(a - b) <= max(3, 0.03 * b) for a, b in zip(counts(actual), counts(shown), strict=True))
        and all(alike(a, b) for a, b in zip(numbers(actual), numbers(shown), strict=True))
    )
