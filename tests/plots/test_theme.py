"""Colours stay apart for everybody, and each has one name."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from ethogram.plots.theme import HEAT_LEVELS, KINDS, LIGHT, TOKENS, in_dark

# Machado, Oliveira and Fernandes 2009, severity 1.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
KIND_TOKENS = [look.kind for look in KINDS]
SYSTEM_TOKENS = [name for name in TOKENS if name.startswith("system")]
HEAT_TOKENS = [f"heat{level}" for level in range(HEAT_LEVELS)]

Floats = NDArray[np.float64]


def linear(colour: str) -> Floats:
    """Linear RGB of a hex colour."""
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb: Floats) -> Floats:
    """CIE L*a*b* (D65) of linear RGB."""
    matrix = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = (matrix @ np.clip(rgb, 0, 1)) / np.array([0.9505, 1, 1.089])
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


def luminance(colour: str) -> float:
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("tokens", "least"), [(KIND_TOKENS, 19), (SYSTEM_TOKENS, 13)], ids=["kinds", "systems"]
)
def test_colours_stay_apart(tokens: list[str], least: float, dark: bool, deficiency: str) -> None:
    seen = [lab(DEFICIENCIES[deficiency] @ linear(TOKENS[token][dark])) for token in tokens]
    distances = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)]

    assert min(distances) >= least


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_letters_can_be_read_on_their_cells(dark: bool) -> None:
    for kind in KIND_TOKENS:
        assert contrast(TOKENS[kind][dark], TOKENS[f"on_{kind}"][dark]) >= 4.5, kind
    for level, token in enumerate(HEAT_TOKENS):
        ink = "on_heat_high" if level > HEAT_LEVELS // 2 else "on_heat_low"
        assert contrast(TOKENS[token][dark], TOKENS[ink][dark]) >= 3, token


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("token", ["ink", "muted", "success", "failure"])
def test_text_can_be_read_on_the_page(token: str, dark: bool) -> None:
    assert contrast(TOKENS[token][dark], TOKENS["paper"][dark]) >= 4.5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_heat_grows_away_from_the_page(dark: bool) -> None:
    contrasts = [contrast(TOKENS[token][dark], TOKENS["paper"][dark]) for token in HEAT_TOKENS]

    assert contrasts == sorted(contrasts)


def test_no_two_tokens_share_a_light_colour() -> None:
    assert len(set(LIGHT.values())) == len(TOKENS)


def test_kinds_have_different_letters() -> None:
    assert len({look.letter for look in KINDS}) == len(KINDS)


def test_a_specification_turns_dark_wherever_a_colour_stands() -> None:
    light, dark = TOKENS["ink"]

    assert in_dark({"a": [light, {"b": light}, 3, None, "text"]}) == {
        "a": [dark, {"b": dark}, 3, None, "text"]
    }
