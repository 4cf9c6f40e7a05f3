"""A number with proven bounds, and the digits that follow from these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

EXTRA_DIGITS = 20  # that are shown beyond those asked for, of a number that is known exactly


@dataclass(frozen=True, repr=False)
class BoundedNumber:
    """A number that lies between two exact bounds.

    `str(x)` shows its proven digits: all numbers between the bounds round to this decimal. `float(x)` is the double nearest to
    the middle of the bounds. `f"{x:.8}"` shows eight digits, or fewer if fewer are proven. `y in x` tells whether a number lies
    between the bounds.

    Attributes
    ----------
    lower_bound, upper_bound : Fraction
        The exact bounds.
    max_digits : int
        The largest number of digits that `str` shows.

    Examples
    --------
    >>> import lagrangian as lg
    >>> x = lg.certify("pendulum", 1, {"theta": 0}, digits=20).q[0]
    >>> print(x, x.digits)
    -2.9758236383196957651897 23
    >>> print(f"{x:.8}")
    -2.9758236
    >>> x.bounds
    ('-2.9758236383196957651897470', '-2.9758236383196957651897235')
    >>> float(x) in x
    False
    """

    lower_bound: Fraction
    upper_bound: Fraction
    max_digits: int = 60

    @staticmethod
    def from_ball(ball: Any, digits: int) -> BoundedNumber:
        """Make a number with bounds from a ball of FLINT.

        Parameters
        ----------
        ball : flint.arb
            The ball.
        digits : int
            The number of digits that were asked for; at most 20 more are shown.

        Returns
        -------
        BoundedNumber
            The number.
        """
        middle, radius = (_fraction(x) for x in (ball.mid(), ball.rad()))
        return BoundedNumber(middle - radius, middle + radius, digits + EXTRA_DIGITS)

    @property
    def lower(self) -> float:
        """A double that is not above the number."""
        x = float(self.lower_bound)
        return x if Fraction(x) <= self.lower_bound else math.nextafter(x, -math.inf)

    @property
    def upper(self) -> float:
        """A double that is not below the number."""
        x = float(self.upper_bound)
        return x if Fraction(x) >= self.upper_bound else math.nextafter(x, math.inf)

    @property
    def radius(self) -> float:
        """The largest distance of the number from the middle of its bounds."""
        return float((self.upper_bound - self.lower_bound) / 2)

    @property
    def max_magnitude(self) -> Fraction:
        """The largest absolute value that the number can have."""
        return max(abs(self.lower_bound), abs(self.upper_bound))

    def missing_digits(self, digits: int) -> int:
        """Tell how many more digits the bounds need for a number of significant digits.

        Parameters
        ----------
        digits : int
            The number of significant digits.

        Returns
        -------
        int
            The digits that are missing; 0 if there are enough.
        """
        if self._leading_exponent is not None and self._decimal_places + 1 + self._leading_exponent >= digits:
            return 0
        return max(1, digits + _magnitude((self.upper_bound - self.lower_bound) / self.max_magnitude) + 1)

    @property
    def bounds(self) -> tuple[str, str]:
        """Both bounds as decimal texts, rounded outward."""
        places = self._decimal_places + 3
        scaled = (self.lower_bound * Fraction(10) ** places, self.upper_bound * Fraction(10) ** places)
        return _decimal_text(math.floor(scaled[0]), places), _decimal_text(math.ceil(scaled[1]), places)

    def __float__(self) -> float:
        return float((self.lower_bound + self.upper_bound) / 2)

    def __contains__(self, x: Any) -> bool:
        return self.lower_bound <= Fraction(x) <= self.upper_bound

    def distance(self, x: float | Fraction) -> float:
        """Bound the distance of another number from this one.

        Parameters
        ----------
        x : float or Fraction
            The other number.

        Returns
        -------
        float
            The largest possible distance.
        """
        return float(max(abs(Fraction(x) - self.lower_bound), abs(Fraction(x) - self.upper_bound)))

    @property
    def digits(self) -> int:
        """The number of proven digits.

        They count from the first digit that is not zero. If the number may be zero, those after the decimal point count.
        """
        first = self._leading_exponent
        significant = 0 if first is None else self._decimal_places + 1 + first
        return significant if significant > 0 else max(0, self._decimal_places)

    @property
    def _leading_exponent(self) -> int | None:
        """The power of ten of the first digit; None if the number may be zero."""
        if self.lower_bound <= 0 <= self.upper_bound:
            return None
        magnitude = min(abs(self.lower_bound), abs(self.upper_bound))
        exponent = _magnitude(magnitude)
        while Fraction(10) ** exponent > magnitude:
            exponent -= 1
        while Fraction(10) ** (exponent + 1) <= magnitude:
            exponent += 1
        return exponent

    @property
    def _decimal_places(self) -> int:
        """The most decimal places to which both bounds round to the same; negative for tens, hundreds and so on."""
        first = self._leading_exponent or 0
        width = self.upper_bound - self.lower_bound
        places = self.max_digits - 1 - first
        if width:
            places = min(places, math.floor(-math.log10(float(width))) + 1 if width > Fraction(1, 10**300) else places)
        min_places = -1 - first
        while places > min_places and _round_to_places(self.lower_bound, places) != _round_to_places(self.upper_bound, places):
            places -= 1
        return places

    def __str__(self) -> str:
        if not self.digits:
            low, high = f"{self.lower:.3g}", f"{self.upper:.3g}"
            return f"between {low} and {high}"
        return _decimal_text(_round_to_places(self.lower_bound, self._decimal_places), self._decimal_places)

    def __format__(self, spec: str) -> str:
        """`.30` gives thirty digits, or as many as are proven if they are fewer; other formats are those of its float."""
        if not (spec.startswith(".") and spec[1:].isdigit()) or not self.digits:
            return format(float(self), spec) if spec else str(self)
        places = self._decimal_places - max(0, self.digits - int(spec[1:]))
        while _round_to_places(self.lower_bound, places) != _round_to_places(self.upper_bound, places):
            places -= 1
        return _decimal_text(_round_to_places(self.lower_bound, places), places)

    def __repr__(self) -> str:
        return f"BoundedNumber({self}, {self.digits} digits)"


def _fraction(x: Any) -> Fraction:
    """An exact ball as a fraction."""
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _magnitude(x: Fraction) -> int:
    """The power of ten of a positive number, or one more."""
    return len(str(x.numerator)) - len(str(x.denominator)) + 1


def _round_to_places(x: Fraction, places: int) -> int:
    """x 10^places, rounded to a whole number."""
    return round(x * Fraction(10) ** places)


def _decimal_text(n: int, places: int) -> str:
    """n / 10^places as text."""
    if places <= 0:
        return str(n * 10**-places)
    text = str(abs(n)).rjust(places + 1, "0")
    return f"{'-' * (n < 0)}{text[:-places]}.{text[-places:]}"
