"""Functions that have no formulas of their own: they call those that have, and add up what these give."""

from __future__ import annotations

from collections.abc import Sequence

# the array that each function fills
ARRAYS = {"mass_matrix": "M", "coriolis_matrix": "C", "gravity": "G", "friction": "F", "constraint_jacobian": "Psi"}
MATRICES = ("M", "C")


def inverse_dynamics(n: int, called: Sequence[str], zero: str) -> list[str]:
    """tau = M qdd + C qd + G + F, of the terms that there are."""
    return _rows("tau", n, called, zero)


def bias(n: int, called: Sequence[str], zero: str) -> list[str]:
    return _rows("b", n, called, zero)


def forward_dynamics(n: int, called: Sequence[str], zero: str) -> list[str]:
    """M qdd = tau - C qd - G - F, solved for qdd."""
    arrays = [ARRAYS[name] for name in called if name != "mass_matrix"]
    lines = [f"/* M qdd = tau{''.join(f' - {_term(x)}' for x in arrays)} */", f"for (int i = 0; i < {n}; ++i) {{"]
    lines.append(f"    qdd[i] = tau[i]{''.join(f' - {x}[i]' for x in arrays if x not in MATRICES)};")
    if "C" in arrays:
        lines += [f"    for (int j = 0; j < {n}; ++j) {{", f"        qdd[i] -= C[{n}*i + j]*qd[j];", "    }"]
    return [*lines, "}", "solve(M, qdd);"]


def kinetic_energy(n: int, called: Sequence[str], zero: str) -> list[str]:
    half = zero.replace("0.0", "0.5")
    return [
        "/* T = 1/2 qd^T M qd */",
        f"*T = {zero};",
        f"for (int i = 0; i < {n}; ++i) {{",
        f"    for (int j = 0; j < {n}; ++j) {{",
        f"        *T += {half}*M[{n}*i + j]*qd[i]*qd[j];",
        "    }",
        "}",
    ]


def times_qd(output: str, matrix: str, n: int, rows: int, added: tuple[str, Sequence[str]], zero: str) -> list[str]:
    """output = matrix qd + what is added, by its name and row by row; where nothing is, there are no rows."""
    word, texts = added
    lines = [
        f"/* {output} = {matrix} qd{f' + {word}' if texts else ''} */",
        *(f"{output}[{i}] = {x};" for i, x in enumerate(texts)),
    ]
    return [
        *lines,
        f"for (int i = 0; i < {rows}; ++i) {{",
        *([] if texts else [f"    {output}[i] = {zero};"]),
        f"    for (int j = 0; j < {n}; ++j) {{",
        f"        {output}[i] += {matrix}[{n}*i + j]*qd[j];",
        *("    }", "}"),
    ]


def solver(n: int, real: str) -> list[str]:
    """Gauss's elimination; the mass matrix is positive definite, so that no rows need be exchanged."""
    return [
        "/* Solves A x = b for a symmetric positive definite A by Gauss's elimination; x takes the place of b. */",
        f"static void solve({real} A[{n * n}], {real} b[{n}])",
        "{",
        f"    for (int k = 0; k < {n}; ++k) {{",
        f"        for (int i = k + 1; i < {n}; ++i) {{",
        f"            const {real} factor = A[{n}*i + k]/A[{n}*k + k];",
        f"            for (int j = k; j < {n}; ++j) {{",
        f"                A[{n}*i + j] -= factor*A[{n}*k + j];",
        "            }",
        "            b[i] -= factor*b[k];",
        "        }",
        "    }",
        f"    for (int k = {n - 1}; k >= 0; --k) {{",
        f"        for (int j = k + 1; j < {n}; ++j) {{",
        f"            b[k] -= A[{n}*k + j]*b[j];",
        "        }",
        f"        b[k] /= A[{n}*k + k];",
        "    }",
        "}",
        "",
    ]


def _rows(output: str, n: int, called: Sequence[str], zero: str) -> list[str]:
    arrays = [ARRAYS[name] for name in called]
    plain = [f"{x}[i]" for x in arrays if x not in MATRICES]
    times = [f"{x}[{n}*i + j]*{'qdd' if x == 'M' else 'qd'}[j]" for x in arrays if x in MATRICES]
    lines = [f"/* {output} = {' + '.join(map(_term, arrays)) or '0'} */", f"for (int i = 0; i < {n}; ++i) {{"]
    lines.append(f"    {output}[i] = {' + '.join(plain) or zero};")
    if times:
        lines += [f"    for (int j = 0; j < {n}; ++j) {{", f"        {output}[i] += {' + '.join(times)};", "    }"]
    return [*lines, "}"]


def _term(array: str) -> str:
    return {"M": "M qdd", "C": "C qd"}.get(array, array)


SUMS = {
    "inverse_dynamics": inverse_dynamics,
    "bias": bias,
    "forward_dynamics": forward_dynamics,
    "kinetic_energy": kinetic_energy,
}
