"""Compiling again and again keeps no memory, and a fork while another thread compiles does not hang the child."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.kernels import catalogue
from lagrangian.kernels.llvm import machine_code, target

IR = """
define double @f(double %x, double %y) {
  %a = fadd double %x, %y
  %b = fmul double %a, %a
  ret double %b
}
"""


def _resident() -> float:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is told by /proc")
@pytest.mark.parametrize("passes", [None, machine_code.PASSES, machine_code.UNROLLING_PASSES], ids=["all", "few", "unrolling"])
def test_compilations_free_what_they_take(passes: tuple[str, ...] | None) -> None:
    """LLVM's pass managers were never freed: 57 kB each of a whole pipeline, of two lines."""
    chosen = target.current()
    for _ in range(30):
        machine_code.compile_object(IR, chosen, 2, passes)
    gc.collect()
    before = _resident()
    for _ in range(200):
        machine_code.compile_object(IR, chosen, 2, passes)
    gc.collect()
    assert _resident() - before < 200 * 4500


def test_frames_that_are_ever_new_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "MAX_FRAME_FUNCTIONS", 4)
    dyn = lg.compile(lg.library("two_r"))
    body, q = dyn.mechanism.bodies[-1].name, np.array([0.3, 0.2])
    engines = len(machine_code._ENGINES)
    for k in range(12):
        T = dyn.pose(q, lg.Frame(f"f{k}", body, (0.1 * k, 0, 0)))
        np.testing.assert_allclose(T[:3, 3], dyn.pose(q, body)[:3, :3] @ (0.1 * k, 0, 0) + dyn.pose(q, body)[:3, 3], atol=1e-15)
    gc.collect()
    assert len(dyn._kernels._frame_functions) <= 4
    assert len(machine_code._ENGINES) - engines <= 5


FORKS = """
import os, signal, threading, time, warnings
os.environ["LAGRANGIAN_CACHE"] = "off"
warnings.simplefilter("ignore")
import lagrangian as lg
arm = lg.library("two_r")
lg.simulate(arm, 0.01, torque={"theta1": "t"})

def compiles():
    k = 0
    while True:
        k += 1
        lg.simulate(arm, 0.01, torque={"theta1": f"{k}*t"})

threading.Thread(target=compiles, daemon=True).start()
for k in range(6):
    time.sleep(0.07)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # it ends a child that hangs
        lg.simulate(arm, 0.01, torque={"theta1": f"{k}.5*t*t"})
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_fork_while_another_thread_compiles() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=400, check=False)
    assert (done.stdout, done.stderr) == ("0\n" * 6, "")
