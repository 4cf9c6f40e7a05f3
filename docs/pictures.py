"""Draws the pictures of the documentation anew, into docs/pictures: `python docs/pictures.py`, or some of them by name.

They show what the snippets of the pages compute, in the colours of the package, and are kept small: 256 colours.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import subprocess
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


def draw_picture(mechanism: lg.Mechanism, name: str, **more: Any) -> None:
    keep(Image.fromarray(mechanism.draw(size=SIZE, **more)), name)


def figure(chart: Any, name: str, width: int = 900) -> None:
    """A matplotlib figure, `width` pixels wide."""
    chart.savefig("figure.png", dpi=200)
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


def styled_pyplot() -> Any:
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
    text = (DOCS.parent / "src" / "lagrangian" / "description" / "toml" / "starter.toml").read_text(encoding="utf-8")
    arm = lg.loads(text.format(name="arm", file="arm.toml"))
    draw_picture(arm, "start_arm", q="raised")
    figure(lg.simulate(arm).plot(), "start_plot", 1000)


def tables() -> None:
    draw_picture(snippet("howto/from_urdf")["robot"], "urdf_arm", q=[0.5, 0.8])
    draw_picture(snippet("howto/from_dh")["arm"], "dh_arm", q=[0.4, 0.9, -1.3])


def build_engine() -> None:
    draw_picture(snippet("howto/build_in_python")["engine"], "build_engine", q="bent")
    draw_picture(snippet("howto/from_cad")["lift"], "cad_lift", q="start")


def loop() -> None:
    names = snippet("howto/close_a_loop")
    draw_picture(names["linkage"], "linkage", q=names["q"])


def reactions() -> None:
    names, plt = snippet("howto/find_reactions"), styled_pyplot()
    motion = names["motion"]
    drawing, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    for k, joint in enumerate(motion.mechanism.joints):
        axes.plot(motion.t, np.linalg.norm(motion.reactions[:, k, 3:], axis=1), label=joint.name)
    axes.plot(motion.t, np.linalg.norm(motion.multipliers, axis=1), label="closure")
    axes.set(xlabel="time [s]", ylabel="force [N]", xlim=(0, motion.t[-1]), ylim=(0, None))
    axes.legend(frameon=False, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    figure(drawing, "reactions")


def motors() -> None:
    names = snippet("howto/size_motors")
    names["sizing"].plot("motors.png")
    image = Image.open("motors.png").convert("RGB")
    keep(image.resize((900, round(image.height * 900 / image.width)), Image.Resampling.LANCZOS), "motors")


def controllers() -> None:
    names, plt = snippet("howto/write_a_controller"), styled_pyplot()
    arm, path, law = names["arm"], names["path"], names["law"]
    shown = {
        "PD and gravity, 1 kHz": lg.Sampled(law, period=1e-3),
        "with an integral": lg.Sampled(names["WithIntegral"](1e-3), period=1e-3),
        "computed torque, model 20 % too heavy": lg.control.ComputedTorque(names["wrong"], path).with_sampling(1e-3),
    }
    drawing, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    for label, torque in shown.items():
        motion = lg.simulate(arm, 1.0, q0=[-0.5, 0.8], torque=torque, t_eval=401)
        axes.plot(motion.t, np.degrees(motion.q - path(motion.t)[0])[:, 1], label=label)
    axes.set(xlabel="time [s]", ylabel="error of theta2 [deg]", xlim=(0, 1))
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=8)
    figure(drawing, "controllers")


def design_a_controller() -> None:
    """Gains that know of a delay and gains that do not, and errors over the bandwidth."""
    names, plt = snippet("howto/design_a_controller"), styled_pyplot()
    run, law, period = names["run"], names["lqr"], 0.06
    shown = {
        "continuous LQR": law,
        "same gains, 60 ms period and delay": lg.Sampled(law, period, period),
        "gains for the delay": lg.Sampled(names["Delayed"](), period, period),
    }
    drawing, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    for label, torque in shown.items():
        motion = run(torque)
        left.plot(motion.t, np.degrees(motion.q[:, 1] - np.pi), label=label)
        right.plot(motion.t, motion.tau[:, 0], label=label)
    left.set(xlabel="time [s]", ylabel="angle from upright [deg]", xlim=(0, 3), ylim=(-45, 45))
    right.set(xlabel="time [s]", ylabel="force on the cart [N]", xlim=(0, 3), ylim=(-45, 45))
    handles, labels = left.get_legend_handles_labels()
    drawing.legend(handles, labels, frameon=False, loc="outside upper left", ncols=3, fontsize=9)
    figure(drawing, "design_lqr")
    arm, path, frequencies = names["arm"], names["path"], np.geomspace(8, 85, 12)
    drawing, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    for label, plant in (("right model", arm), ("unknown payload of 3 kg", names["gripped"])):
        errors = []
        for frequency in frequencies:
            torque = lg.control.ComputedTorque(arm, path, frequency=frequency).with_sampling(5e-3, delay=5e-3)
            motion = lg.simulate(plant, 1.0, q0=[-0.5, 0.8], torque=torque, t_eval=201)
            errors.append(np.degrees(np.abs(motion.q - path(motion.t)[0]).max()))
        axes.loglog(frequencies, errors, marker="o", ms=4, label=label)
    axes.set(xlabel="bandwidth [rad/s]", ylabel="largest error [deg]", xlim=(7, 100))
    axes.set_xticks([10, 20, 40, 80], ["10", "20", "40", "80"])
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure(drawing, "design_bandwidth", 700)


def spring_balancing() -> None:
    names, plt = snippet("howto/spring_balancing"), styled_pyplot()
    lamp, tilts = names["lamp"], np.linspace(-np.pi / 2, np.pi / 2, 91)[:, None]
    shown = {
        "no spring": lamp.with_parameters(k=0.0),
        "free length 0.1 m, best k": names["fixed"].mechanism,
        "free length 0.1 m, best k, a and b": names["freed"].mechanism,
        "no free length, k = mgr/(ab)": lamp.with_parameters(k=names["exact"]),
    }
    drawing, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    for label, mechanism in shown.items():
        torque = lg.compile(mechanism).inverse_dynamics(tilts, 0 * tilts, 0 * tilts)
        axes.plot(np.degrees(tilts), torque, label=label)
    axes.set(xlabel="tilt [deg]", ylabel="holding torque [N m]", xlim=(-90, 90))
    axes.set_xticks([-90, -45, 0, 45, 90])
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=9)
    figure(drawing, "spring_balancing", 700)


def picture_of_page(file: str, size: tuple[int, int], name: str) -> None:
    """A page as a browser has it, after it has moved for a while."""
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(Path(file).absolute().as_uri())
        page.wait_for_timeout(3000)
        page.screenshot(path=f"{name}.png")
        browser.close()
    keep(Image.open(f"{name}.png"), name)


def see() -> None:
    """What the page of that name shows; the animation as a browser has it."""
    names = snippet("howto/visualisation")
    leg, motion = names["leg"], names["motion"]
    draw_picture(leg, "see_leg", q="lifted")
    figure(motion.plot("coordinates", "energy", joints=["theta"]), "see_plot")
    figure(names["lock"].plot("coordinates", "multipliers", angles="radians"), "see_lock", 700)
    two = names["free"].plot("coordinates", "tip", others={"driven": names["driven"]}, label="free")
    figure(two, "see_two", 700)
    figure(names["fall"].plot("speeds"), "see_limits", 700)
    how: tuple[dict[str, Any], ...] = ({"view": "front"}, {"view": (60, 20)}, {"target": "foot", "zoom": 3})
    keep(Image.fromarray(np.hstack([leg.draw(size=(360, 300), **one) for one in how])), "see_views")
    figure(motion.phase_portrait("delta"), "see_phase", 600)
    figure(motion.plot_path("foot"), "see_path", 700)
    picture_of_page("leg.html", (900, 620), "see_player")


def sliders() -> None:
    """A page that computes, as a browser has it."""
    snippet("howto/pages_that_compute")
    picture_of_page("controlled.html", (1100, 700), "see_sliders")


def notebook() -> None:
    """A cell of JupyterLab."""
    sys.path.insert(0, str(DOCS.parent))
    from playwright.sync_api import sync_playwright
    from tests.browser.conftest import FLAGS, BrowserTab
    from tests.browser.jupyter import Lab

    lab = Lab.start(Path.cwd())
    try:
        lab.write("two_r.ipynb", 'import lagrangian as lg\n\nmotion = lg.simulate("two_r", 5)\nmotion.animate()')
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1200, "height": 900})
            opened = lab.open(BrowserTab(page), "two_r.ipynb")
            page.evaluate("() => jupyterapp.commands.execute('application:toggle-left-area')")
            opened.run(0)
            page.wait_for_selector(".lgc-status:has-text('computed')")
            page.get_by_role("slider", name="l1", exact=True).focus()
            for _ in range(20):
                page.keyboard.press("ArrowUp")
            page.wait_for_timeout(2000)
            page.locator(".jp-Notebook").screenshot(path="notebook.png")
            browser.close()
    finally:
        lab.stop()
    keep(Image.open("notebook.png"), "notebook")


def linkage_page() -> None:
    """The page on which a linkage is drawn, with the forces of an example."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-u", "-m", "lagrangian", "studio", "--draw", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 720})
        page.goto(address)
        page.get_by_role("button", name="Examples").click()
        page.get_by_role("menuitem", name="Four-bar").click()
        page.locator("#tab-forces").click()
        page.wait_for_selector("#panel-forces .uplot")
        page.locator("#time").evaluate("e => { e.value = 0.86; e.dispatchEvent(new Event('input')) }")
        page.wait_for_timeout(500)
        page.screenshot(path="draw.png")
        browser.close()
        server.terminate()
    keep(Image.open("draw.png"), "draw_a_linkage", 128)


def study() -> None:
    over = {"l1": lg.distributions.grid(0.8, 1.2, 25), "m2": lg.distributions.normal(12.5, 1.5)}
    keep_of_all = ["min(tip.x)", "peak(qd_theta1)", "rows(theta2)"]
    figure(lg.study("two_r", over, {"t_span": 2}, keep_of_all, samples=32, folder="lengths").plot(), "study")


def studio() -> None:
    """The studio as somebody sees it who opened the four-bar."""
    import re
    import subprocess

    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "lagrangian", "studio", "four_bar", "--no-browser"]
    env = {**os.environ, "LAGRANGIAN_STATE": os.getcwd(), "PYTHONUNBUFFERED": "1"}
    served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert served.stdout is not None
    address = re.search(r"http\S+", served.stdout.readline())
    assert address is not None
    flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(address.group())
        page.wait_for_timeout(8000)
        page.screenshot(path="studio.png")
        browser.close()
    served.terminate()
    served.wait()
    image = Image.open("studio.png").convert("RGB")
    keep(image.resize((1000, round(image.height * 1000 / image.width)), Image.Resampling.LANCZOS), "studio")


def design() -> None:
    names = snippet("howto/linkages")
    figure(names["cycle"].plot(), "design_turn", 1000)
    figure(names["compared"].plot(), "design_turns", 800)
    names = snippet("howto/workspace")
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


def motions() -> None:
    """Of the guides of simulation: a motion, many of them, and how constraints and chaos behave."""
    arm = lg.library("two_r")
    figure(lg.simulate(arm).plot(), "simulate", 900)
    starts = np.random.default_rng(0).normal([-1.2, 0.3], 0.05, (200, 2))
    figure(lg.simulate(arm, 6, q0=starts, keep="rows", t_eval=301).plot(), "batch", 900)
    plt = styled_pyplot()
    drawing, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    bar = lg.library("four_bar")
    for how in ("projection", "baumgarte", "ggl", "none"):
        motion = lg.simulate(bar, 5, qd0={"theta1": 10.0}, torque=0, stabilisation=how)
        left.semilogy(motion.t, np.maximum(motion.drift, 1e-17), label=how, lw=1)
    left.set(xlabel="time [s]", ylabel="opening of the loop [m]", xlim=(0, 5))
    for rtol in (1e-6, 1e-8, 1e-10, 1e-12):
        motion = lg.simulate("double_pendulum", 25, rtol=rtol, atol=rtol / 100, t_eval=1001)
        right.plot(motion.t, motion.q[:, 1] / (2 * np.pi), label=f"rtol {rtol:.0e}", lw=1)
    right.set(xlabel="time [s]", ylabel="theta2 [turns]", xlim=(0, 25))
    for axes in (left, right):
        axes.legend(frameon=False, ncols=2, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))
    figure(drawing, "accuracy", 1000)


def gallery() -> None:
    """The pictures of the examples: those that draw do it themselves, of the others their mechanism or their torques."""

    def ran(name: str, *arguments: str) -> dict[str, Any]:
        before, sys.argv = sys.argv, [name, *arguments]
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                return runpy.run_path(str(DOCS.parent / "examples" / f"{name}.py"))
        finally:
            sys.argv = before

    for name in ("acrobot_swing_up", "fit_a_spring", "four_bar_coupler_curve", "lqr_cart_pendulum", "panda_point_to_point"):
        ran(name, "figure.png")
        image = Image.open("figure.png").convert("RGB")
        keep(image.resize((900, round(image.height * 900 / image.width)), Image.Resampling.LANCZOS), f"gallery_{name}", 64)
    poses: dict[str, tuple[str, Any]] = {
        "first_steps": ("arm", "qn"),
        "describe_an_arm": ("arm", [0.3, -0.5]),
        "closed_loops": ("platform", None),
        "urdf_payload_and_friction": ("arm", [-0.8, 0.3]),
    }
    for name, (mechanism, q) in poses.items():
        draw_picture(ran(name)[mechanism], f"gallery_{name}", q=q)
    figure(ran("inverse_dynamics")["motion"].plot("torques"), "gallery_inverse_dynamics")


PICTURES = (
    *(front, mechanisms, library, start, tables, build_engine, loop, reactions, motors, controllers),
    *(
        see,
        sliders,
        notebook,
        studio,
        linkage_page,
        design,
        design_a_controller,
        spring_balancing,
        study,
        chains,
        motions,
        gallery,
    ),
)
ALL: dict[str, Callable[[], None]] = {f.__name__: f for f in PICTURES}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or ALL:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            ALL[name]()
        print(name)
