"""How a name is written: in plain text, with the letters of a terminal, or typeset.

`theta1` is θ₁ and \\theta_{1}; `lc1` is l with the index c1. A rate has a dot above where it is typeset, and a stroke in a
terminal, whose fonts put a dot above θ onto the index beside it. Where coordinates are numbered, as theta1 and theta2 are, s12
stands for the sine of the sum of the first two; the cosine of a coordinate alpha is written cos(alpha).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lagrangian.equations.algebra.ring import Symbol
from lagrangian.equations.reading.system import NUMBER_MEANING

if TYPE_CHECKING:
    from lagrangian.equations.writing.writer import FormulaWriter

GREEK = dict(
    zip(
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
        ],
        "αβγδεζηθικλμνξπρστυφχψω",
        strict=True,
    )
)
GREEK |= dict(zip(("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"), "ΓΔΘΛΞΠΣΦΨΩ", strict=True))
_SUBSCRIPTS = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SHORT_NAME = re.compile(rf"^([A-Za-z]{{1,5}}|{'|'.join(GREEK)})(_?[0-9]{{1,2}}|_[A-Za-z])?$")
_STATE_KINDS = ("coordinate", "speed", "acceleration", "sign")
_NAME = re.compile(r"^([A-Za-z]+)_?([A-Za-z]*[0-9]*)$")


class Notation:
    """The names a writer uses: its system's generators, and sums of angles."""

    def __init__(self, writer: FormulaWriter) -> None:
        self.system, self.writer = writer.system, writer
        ambiguous = self._has_ambiguous_numbers()
        # whether coordinates go by their own names where formulas are typeset
        self.uses_coordinate_names = ambiguous or all(_SHORT_NAME.match(name) for name in self.system.coordinates)
        ends = [re.sub(r"^.*?([0-9]*)$", r"\1", name) for name in self.system.coordinates]
        in_order = ends == [str(k + 1) for k in range(len(ends))]
        # whether a number tells a coordinate: q1 is its name in plain text, and c1 its cosine
        self.uses_numbers = not ambiguous and (in_order or not self.uses_coordinate_names)

    def _has_ambiguous_numbers(self) -> bool:
        """Whether q1, qd1, c1 or the like, by which formulas could mean a coordinate, is the name of something else."""
        system, sines = self.system, "|".join(self.system.scalars.prefixes)
        states = {f"{rate}{k + 1}": k for rate in ("q", "qd", "qdd") for k in range(system.n)}
        numbered_names = {f"q{k + 1}" for k, name in enumerate(system.coordinates) if name == f"q{k + 1}"}
        names = {*system.coordinates, *self.writer.speeds} - numbered_names
        if names & {*states} or {*system.mechanism.parameters} & {*states}:
            return True
        return any(re.fullmatch(f"({sines})[0-9m_]+|sgn[0-9]+", name) for name in names)

    def symbol(self, name: str) -> Symbol | None:
        number = self.writer.generator_index.get(name)
        return None if number is None else self.system.ring.symbols[number]

    def plain(self, name: str) -> str:
        """The name as it is written in texts that are read back.

        Where coordinates are numbered, it is q1, qd1 or c1, and else alpha, qd_alpha or cos(alpha).
        """
        symbol = self.symbol(name)
        if symbol is not None and symbol.kind == "inverse":
            return f"({name})"
        if self.is_written_in_full(name):
            return self.meaning(name)
        if symbol is None or self.uses_numbers:
            return name
        word = self.system.coordinates[symbol.index] if symbol.kind in _STATE_KINDS else ""
        match symbol.kind:
            case "coordinate":
                return word
            case "sign":
                return f"sign({self.writer.speeds[symbol.index] if self.writer.speeds else f'qd_{word}'})"
            case "speed" | "acceleration" if not self.writer.speeds:
                return f"qd_{word}" if symbol.kind == "speed" else f"qdd_{word}"
        return name

    def denominator_text(self, name: str) -> str:
        """What a name is the inverse of, in plain text; "" if it is no inverse."""
        symbol = self.symbol(name)
        return name.removeprefix("1/") if symbol is not None and symbol.kind == "inverse" else ""

    def denominator_latex(self, name: str) -> str:
        """The same, typeset."""
        length = self.system.scalars.lengths.get(name)
        word = self.denominator_text(name)
        return self.latex(f"{length.quantity}({length.owner})") if length is not None and word else latex_expression(word)

    def coordinate(self, k: int) -> str:
        """A coordinate's own name if all names are short; else its number, which the legend explains."""
        return self.system.coordinates[k] if self.uses_coordinate_names else f"q{k + 1}"

    def is_written_in_full(self, name: str) -> bool:
        """Whether a sine or cosine is written in full: of a difference, or where coordinates are not numbered."""
        named_angle = self.writer.trigonometry.named_angles.get(name)
        return named_angle is not None and (not self.uses_numbers or any(times < 0 for _, times in named_angle[1]))

    def unicode(self, name: str) -> str:
        symbol = self.symbol(name)
        kind = symbol.kind if symbol else "sine"
        if self.is_written_in_full(name):
            words = re.split(r"([A-Za-z_][A-Za-z_0-9.]*)", self.meaning(name))
            return "".join(word if word in ("sin", "cos") else unicode_name(word) for word in words)
        if kind in ("sine", "cosine"):
            return self.angle_prefix(name) + name[len(self.angle_prefix(name)) :].lstrip("_").replace("_", ",").translate(
                _SUBSCRIPTS
            )
        if symbol is not None and kind in _STATE_KINDS:
            word = self.coordinate(symbol.index)
            if kind == "sign":
                return f"sgn({unicode_name(word)}')"
            if self.writer.speeds and kind != "coordinate":
                speed = unicode_name(self.writer.speeds[symbol.index])
                return speed if kind == "speed" else f"{speed}'"
            return unicode_name(word) + {"coordinate": "", "speed": "'", "acceleration": "''"}[kind]
        if kind == "inverse":
            name = f"({name})"
        if kind in ("constant_sine", "constant_cosine", "root", "inverse", "function"):
            return unicode_expression(name)
        original = self.original_name(name)
        return unicode_name(name) if original == name else unicode_name(original) + "ᴿ"

    def original_name(self, name: str) -> str:
        """The parameter a regrouped one, such as Izz1R, is named after."""
        symbol = self.symbol(name)
        return name if symbol is None else symbol.name

    def latex(self, name: str) -> str:
        symbol = self.symbol(name)
        kind = symbol.kind if symbol else "sine"
        if self.is_written_in_full(name):
            return latex_expression(self.meaning(name))
        if kind in ("sine", "cosine"):
            prefix = self.angle_prefix(name)
            subscript = name[len(prefix) :].lstrip("_").replace("_", ",")
            return f"{prefix if len(prefix) == 1 else chr(92) + prefix}_{{{subscript}}}"
        if symbol is not None and kind in _STATE_KINDS:
            base, index = latex_name_parts(self.coordinate(symbol.index))
            mark = {"coordinate": "", "acceleration": r"\ddot"}.get(kind, r"\dot")
            if self.writer.speeds and kind in ("speed", "acceleration"):
                base, index = latex_name_parts(self.writer.speeds[symbol.index])
                mark = "" if kind == "speed" else r"\dot"
            word = f"{mark}{{{base}}}{index}" if mark else base + index
            return rf"\operatorname{{sgn}}({word})" if kind == "sign" else word
        if kind in ("constant_sine", "constant_cosine"):
            return rf"\{name[:3]}{{{latex_expression(name[3:])}}}"
        length_definition = self.system.scalars.lengths.get(name)
        if length_definition is not None:
            letter = r"\ell" if length_definition.quantity == "length" else "h"
            length = rf"{letter}_{{\mathrm{{{re.sub('[^A-Za-z0-9]', ' ', length_definition.owner)}}}}}"
            return length if kind == "root" else rf"\frac{{1}}{{{length}}}"
        if kind == "drive":
            return rf"\dot{{\phi}}_{{\mathrm{{{re.sub('[^A-Za-z0-9]', ' ', name[8:-1])}}}}}"
        if kind == "root":
            return rf"\sqrt{{{latex_expression(name[5:-1])}}}"
        if kind in ("inverse", "function"):
            return f"({latex_expression(name)})"
        if name[0].isdigit():
            return name
        original = self.original_name(name)
        return "".join(latex_name_parts(original)) + ("" if original == name else "^{R}")

    def angle_prefix(self, name: str) -> str:
        s, c = self.system.scalars.prefixes
        return s if self.writer.angle_of(name)[0] == "sine" else c

    def meaning(self, name: str) -> str:
        """What a name stands for, in a few words or a formula; "" if it stands for itself."""
        symbol = self.symbol(name)
        if symbol is None or symbol.kind in ("sine", "cosine"):
            kind, angle = self.writer.angle_of(name)
            return f"{'sin' if kind == 'sine' else 'cos'}({self.sum_of_coordinates(angle)})"
        return "" if symbol.meaning in ("", name, NUMBER_MEANING) else symbol.meaning

    def sum_of_coordinates(self, angle: tuple[tuple[int, int], ...]) -> str:
        text = ""
        for k, times in angle:
            word = self.coordinate(k)
            word = word if abs(times) == 1 else f"{abs(times)}*{word}"
            text += (" - " if times < 0 else " + ") * bool(text) + ("-" if times < 0 and not text else "") + word
        return text


def unicode_name(name: str) -> str:
    """Greek letters, and numbers at the end as indices."""
    match = _NAME.match(name)
    if not match:
        return name
    letters, index = match.groups()
    for word in sorted(GREEK, key=len, reverse=True):
        if letters == word:
            letters = GREEK[word]
            break
    digits = re.sub(r"^[A-Za-z]*", "", index)
    middle = index[: len(index) - len(digits)]
    return letters + (f"_{middle}" if middle else "") + digits.translate(_SUBSCRIPTS)


def unicode_expression(text: str) -> str:
    """A short expression, the names in it with Greek letters and indices."""
    return re.sub(r"[A-Za-z_][A-Za-z_0-9.]*(?!\w*\()", lambda m: unicode_name(m.group()), text)


def split_index(name: str) -> tuple[str, str] | None:
    """A name's letters and its index: ("theta", "1"), ("I", "zz1"); None if it is not of this kind."""
    match = _NAME.match(name)
    if not match:
        return None
    letters, index = match.groups()
    if letters not in GREEK and 1 < len(letters) <= 3 and (len(letters) == 2 or letters[0] in "Ih"):
        return letters[0], letters[1:] + index
    return letters, index


def latex_name_parts(name: str) -> tuple[str, str]:
    """A name's letter and its index, typeset. An acceleration, `theta1''`, has two dots above its letter."""
    if name.endswith("''") and split_index(name[:-2]):
        letter, index = latex_name_parts(name[:-2])
        return rf"\ddot{{{letter}}}", index
    letters_and_index = split_index(name)
    if letters_and_index is None:
        return rf"\mathrm{{{escape_latex(name)}}}", ""
    letters, index = letters_and_index
    if letters in GREEK:
        return f"\\{letters}", _latex_subscript(index)
    return letters if len(letters) == 1 else rf"\mathit{{{letters}}}", _latex_subscript(index)


# what names may have that TeX, Markdown or HTML would act on, as signs of a formula
_LATEX_ESCAPES = {c: f"\\{c}" for c in "_&%$#{}"} | {
    "\\": r"\backslash ",
    "^": r"\wedge ",
    "~": r"\sim ",
    "<": r"\langle ",
    ">": r"\rangle ",
    "|": r"\vert ",
    "`": "'",
    " ": r"\ ",
    '"': "''",
}


def escape_latex(words: str) -> str:
    """Words of any kind in a formula, as letters and signs."""
    return "".join(_LATEX_ESCAPES.get(c, c) for c in words)


def _latex_subscript(text: str) -> str:
    return f"_{{{text}}}" if text else ""


def latex_expression(text: str) -> str:
    """A short expression in plain text, its names typeset."""
    text = re.sub(
        r"([A-Za-z_][A-Za-z_0-9]*)|\^\^|[\\&%$#{}~<>|`\"]", lambda m: _latex_word(m[1]) if m[1] else escape_latex(m[0]), text
    )
    return re.sub(r"(?<=\d)\*(?=\d)", r" \\cdot ", text).replace("*", r"\,")


def _latex_word(word: str) -> str:
    return rf"\{word}" if word in ("sin", "cos", "tan", "exp", "log", "sqrt") else "".join(latex_name_parts(word))


def unicode_superscript(exponent: int) -> str:
    return str(exponent).translate(_SUPERSCRIPTS)
