"""Colours that all eyes tell apart, and lines that printers without colours do."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from lagrangian.plots.style import COLOURS, MAX_CURVES, MAX_NAMED_CURVES, curve_style

# Machado, Oliveira and Fernandes (2009), severity 1, in linear RGB
SEEN_WITH = {
    "normal sight": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
}
D65 = np.array([0.95047, 1.0, 1.08883])
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])


def lab(color: str, eyes: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of a colour as it is seen."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(eyes @ linear, 0, 1) / D65
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_measure_itself() -> None:
    """White is (100, 0, 0); a known pair that the red-blind confuse comes close, though not to others."""
    assert np.allclose(lab("#FFFFFF", SEEN_WITH["normal sight"]), (100, 0, 0), atol=0.02)
    red, green = "#C00000", "#3B3B00"
    apart = {eyes: np.linalg.norm(lab(red, m) - lab(green, m)) for eyes, m in SEEN_WITH.items()}
    assert apart["protanopia"] < 0.4 * apart["normal sight"]


@pytest.mark.parametrize("eyes", SEEN_WITH)
def test_colours_are_distinguished(eyes: str) -> None:
    """Pairwise, and from white; 2.3 is a just noticeable difference."""
    seen = {color: lab(color, SEEN_WITH[eyes]) for color in (*COLOURS, "#FFFFFF")}
    for a, b in combinations(seen, 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 12, (a, b)


def test_curves_differ_without_their_colours() -> None:
    looks = [curve_style(k, MAX_NAMED_CURVES) for k in range(MAX_NAMED_CURVES)]
    assert len({(x["color"], str(x["linestyle"])) for x in looks}) == MAX_NAMED_CURVES
    for one, next_one in pairwise(looks):
        assert one["linestyle"] != next_one["linestyle"]


def test_a_ramp_keeps_its_order_in_grey() -> None:
    lightness = [lab(curve_style(k, MAX_CURVES)["color"], np.eye(3))[0] for k in range(MAX_CURVES)]
    assert np.all(np.diff(lightness) > 0)
    assert lightness[-1] < 88
