"""How long it takes from a slider to the picture: pages of four mechanisms, from a file, in a headless Chromium.

    python benchmarks/slider_to_picture.py                      # 100 changes in every page
    python benchmarks/slider_to_picture.py --changes 300 --size 1600x1000

A change is an input event of a slider, of each of them in turn. `drawn` is the time until the picture of the new motion is drawn,
`finished` until its pixels can be read (only with --finish: it waits for the graphics card, which is software here), `plots`
until the plots are drawn too, and `motion` is what the worker takes. All are medians in ms; `90 %` is that quantile of `drawn`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from math import pi
from pathlib import Path

import numpy as np

import lagrangian as lg

LIMITS = {"two_r": 16, "four_bar": 16, "puma560": 33, "stewart": 33}  # ms, to be kept on a quiet machine
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
CHANGES = """async ([changes, finish]) => {
  const { computing } = document.querySelector(".lagrangian-computing"), { sliders, player, plan } = computing, found = [];
  const canvas = player.controls.canvas.getContext("2d"), count = sliders.rows.length;
  const event = (name) => new Promise((go) => {
    document.addEventListener(name, (e) => go([performance.now(), e.detail]), { once: true });
  });
  player.pause();
  for (let k = 0; found.length < changes; k++) {
    const { slider } = sliders.rows[k % count], { value, min, max } = plan.inputs[k % count], turn = 1 + Math.floor(k / count);
    const part = (value - min) / (max - min), low = Number(slider.min), high = Number(slider.max);
    slider.value = low + (part + 0.05 * Math.sin(1.3 * turn)) * (high - low);  // near the first value, where there is a motion
    const drawn = event("lagrangian-drawn"), computed = event("lagrangian-computed");
    const began = performance.now();
    slider.dispatchEvent(new Event("input"));
    const [, { rows, spent }] = await computed;
    if (!rows) continue;
    const [picture] = await drawn;
    let finished = 0;
    if (finish) {
      canvas.getImageData(0, 0, 1, 1);
      finished = performance.now();
    }
    await new Promise((go) => setTimeout(go));  // plots are drawn as soon as nothing else is to be done
    if (k >= 20) found.push([picture - began, finished - began, performance.now() - began, spent]);  // the first ones warm up
    await new Promise(requestAnimationFrame);
  }
  return found;
}"""


def motions() -> Iterator[lg.Motion]:
    for name in ("two_r", "four_bar"):
        yield lg.simulate(lg.library(name))
    puma = lg.library("puma560")
    path = lg.paths.joint_line(puma.poses["qn"], [0.6, pi / 3, 2.6, 0.4, 0.5, 0.8], 2.0)
    yield lg.simulate(puma, 2.5, q0="qn", torque=lg.control.ComputedTorque(puma, path))
    yield lg.simulate(lg.library("stewart"))


def measure(changes: int, size: tuple[int, int], finish: bool) -> None:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("a Chromium is needed")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        print(f"{changes} changes each, window {size[0]} x {size[1]}, load average {os.getloadavg()[0]:.2f}\n")
        print(f"{'ms':<10}{'drawn':>8}{'90 %':>8}{'finished':>10}{'plots':>8}{'motion':>8}{'limit':>8}{'kB':>8}{'load':>8}")
        for motion in motions():
            page_file = motion.animate(Path(folder) / f"{motion.name}.html")
            page = browser.new_page(viewport={"width": size[0], "height": size[1]})
            page.set_default_timeout(600_000)
            page.goto(page_file.as_uri())
            page.wait_for_function("() => document.querySelector('.lagrangian-computing')?.computing?.motion")
            rows = np.array(page.evaluate(CHANGES, [changes, finish]))
            drawn, finished, plots, spent = np.median(rows, axis=0)
            slow, kilobytes, load = np.quantile(rows[:, 0], 0.9), page_file.stat().st_size / 1000, os.getloadavg()[0]
            waited = f"{finished:10.1f}" if finish else f"{'-':>10}"
            line = f"{motion.name:<10}{drawn:8.1f}{slow:8.1f}{waited}{plots:8.1f}{spent:8.1f}"
            print(f"{line}{LIMITS[motion.name]:8d}{kilobytes:8.0f}{load:8.2f}", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=100)
    parser.add_argument("--size", default="1200x800")
    parser.add_argument("--finish", action="store_true")
    options = parser.parse_args()
    width, height = (int(x) for x in options.size.split("x"))
    measure(max(100, options.changes), (width, height), options.finish)
