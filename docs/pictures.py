"""Draws the pictures of the documentation anew, into docs/pictures: `python docs/pictures.py`, or some of them by name.

They show what the snippets of the pages compute, in the colours of the package, and are kept small: 256 colours.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import lagrangian as lg

DOCS = Path(__file__).parent
FOLDER = DOCS / "pictures"
SIZE = (720, 480)


def keep(image: Image.Image, name: str, colours: int = 256) -> None:
    """As a PNG of few colours."""
    small = image.convert("RGB").quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(FOLDER / f"{name}.png", optimize=True)


def drawn(mechanism: lg.Mechanism, name: str, **more: Any) -> None:
    keep(Image.fromarray(mechanism.draw(size=SIZE, **more)), name)


def figure(made: Any, name: str, width: int = 900) -> None:
    """A matplotlib figure, `width` pixels wide."""
    made.savefig("figure.png", dpi=200)
    image = Image.open("figure.png").convert("RGB")
    keep(image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS), name)


def snippet(name: str) -> dict[str, Any]:
    """The names of a page's script after it ran, beside the files it reads."""
    script = DOCS / "snippets" / f"{name}.py"
    for path in script.parent.iterdir():
        if path.suffix in (".urdf", ".toml") and path.name != "ruff.toml":
            Path(path.name).write_bytes(path.read_bytes())
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        return runpy.run_path(str(script))


def styled() -> Any:
    """matplotlib, with axes as the package has them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e0e0e0"})
    plt.rcParams["axes.prop_cycle"] = plt.cycler(color=["#0072B2", "#E69F00", "#009E73", "#D55E00"], ls=["-", "--", "-.", ":"])
    return plt


def front() -> None:
    """A serial arm, a linkage and a parallel robot, side by side."""
    pieces = []
    for name in ("puma560", "four_bar", "stewart"):
        pieces.append(Image.fromarray(lg.library(name).draw(size=(400, 400))))
    whole = Image.new("RGB", (1200, 400), "white")
    for k, piece in enumerate(pieces):
        whole.paste(piece, (400 * k, 0))
    keep(whole, "front")


def mechanisms() -> None:
    """Some of the library, for those who come by."""
    names = ("puma560", "delta", "jansen", "bicycle", "stewart", "four_bar", "andrews_squeezer", "panda")
    whole = Image.new("RGB", (1200, 480), "white")
    for k, name in enumerate(names):
        piece = Image.fromarray(lg.library(name).draw(size=(600, 480))).resize((300, 240), Image.Resampling.LANCZOS)
        whole.paste(piece, (300 * (k % 4), 240 * (k // 4)))
    keep(whole, "mechanisms")


def library() -> None:
    """Each of the library, small."""
    (FOLDER / "library").mkdir(exist_ok=True)
    for name in lg.library():
        image = Image.fromarray(lg.library(name).draw(size=(720, 540)))
        keep(image.resize((240, 180), Image.Resampling.LANCZOS), f"library/{name}", 64)


def start() -> None:
    text = (DOCS.parent / "src" / "lagrangian" / "cli" / "starter.toml").read_text(encoding="utf-8")
    arm = lg.loads(text.format(name="arm", file="arm.toml"))
    drawn(arm, "start_arm", q="raised")
    figure(lg.simulate(arm).plot(), "start_plot", 1000)


def tables() -> None:
    drawn(snippet("howto/from_urdf")["robot"], "urdf_arm", q=[0.5, 0.8])
    drawn(snippet("howto/from_dh")["arm"], "dh_arm", q=[0.4, 0.9, -1.3])


def loop() -> None:
    names = snippet("howto/close_a_loop")
    drawn(names["linkage"], "linkage", q=names["q"])


def reactions() -> None:
    names, plt = snippet("howto/find_reactions"), styled()
    motion = names["motion"]
    made, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    for k, joint in enumerate(motion.mechanism.joints):
        axes.plot(motion.t, np.linalg.norm(motion.reactions[:, k, 3:], axis=1), label=joint.name)
    axes.plot(motion.t, np.linalg.norm(motion.multipliers, axis=1), label="closure")
    axes.set(xlabel="time [s]", ylabel="force [N]", xlim=(0, motion.t[-1]), ylim=(0, None))
    axes.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    figure(made, "reactions")


def motors() -> None:
    names = snippet("howto/size_motors")
    names["sizing"].plot("motors.png")
    image = Image.open("motors.png").convert("RGB")
    keep(image.resize((900, round(image.height * 900 / image.width)), Image.Resampling.LANCZOS), "motors")


def controllers() -> None:
    names, plt = snippet("howto/write_a_controller"), styled()
    arm, path, law = names["arm"], names["path"], names["law"]
    shown = {
        "PD and gravity, 1 kHz": lg.Sampled(law, period=1e-3),
        "with an integral": lg.Sampled(names["WithIntegral"](1e-3), period=1e-3),
        "computed torque, model 20 % too heavy": lg.control.ComputedTorque(names["wrong"], path).sampled(1e-3),
    }
    made, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    for label, torque in shown.items():
        motion = lg.simulate(arm, 1.0, q0=[-0.5, 0.8], torque=torque, t_eval=401)
        axes.plot(motion.t, np.degrees(motion.q - path(motion.t)[0])[:, 1], label=label)
    axes.set(xlabel="time [s]", ylabel="error of theta2 [deg]", xlim=(0, 1))
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=8)
    figure(made, "controllers")


def see() -> None:
    """What the page of that name shows; the animation as a browser has it."""
    names = snippet("see")
    leg, motion = names["leg"], names["motion"]
    drawn(leg, "see_leg", q="lifted")
    figure(motion.plot("coordinates", "energy", joints=["theta"]), "see_plot")
    figure(names["lock"].plot("coordinates", "multipliers", angles="radians"), "see_lock", 700)
    figure(motion.phase_portrait("delta"), "see_phase", 600)
    figure(motion.plot_path("foot"), "see_path", 700)
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": 900, "height": 620})
        page.goto(Path("leg.html").absolute().as_uri())
        page.wait_for_timeout(3000)
        page.screenshot(path="player.png")
        browser.close()
    keep(Image.open("player.png"), "see_player")


def study() -> None:
    over = {"l1": lg.span(0.8, 1.2, 25), "m2": lg.normal(12.5, 1.5)}
    keep_of_all = ["end(tip.x)", "peak(qd_theta1)", "rows(theta2)"]
    figure(lg.study("two_r", over, {"t_span": 2}, keep_of_all, samples=32, folder="lengths").plot(), "study")


def design() -> None:
    names = snippet("design")
    figure(names["turn"].plot(), "design_turn", 1000)
    figure(names["compared"].plot(), "design_turns", 800)
    figure(names["reach"].plot(), "design_workspace", 600)
    figure(lg.workspace("scara").plot(), "design_workspace_space", 1000)
    ranges = {"theta1": (-3.0, 3.0), "theta2": (-3.0, 3.0)}
    figure(lg.singularities("three_rrr", ranges, lines=61).plot(), "design_singularities", 600)


def chains() -> None:
    """The example of a long chain, as it draws itself."""
    shown = runpy.run_path(str(DOCS.parent / "examples" / "polypeptide.py"))
    dyn = lg.compile(shown["polypeptide"](shown["RESIDUES"]))
    q0, qd0 = shown["warm"](dyn, np.random.default_rng(1))
    motion = lg.simulate(dyn.mechanism, 10, q0, qd0, rtol=1e-6, atol=1e-8, t_eval=np.linspace(0, 10, 101))
    shown["draw"](motion, dyn.kinetic_energy(motion.q, motion.qd), "figure.png")
    image = Image.open("figure.png").convert("RGB")
    keep(image.resize((900, round(image.height * 900 / image.width)), Image.Resampling.LANCZOS), "polypeptide")


PICTURES = (front, mechanisms, library, start, tables, loop, reactions, motors, controllers, see, design, study, chains)
ALL: dict[str, Callable[[], None]] = {f.__name__: f for f in PICTURES}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or ALL:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            ALL[name]()
        print(name)
