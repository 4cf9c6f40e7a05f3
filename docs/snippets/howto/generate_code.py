"""The examples of docs/howto/generate_code.md, in its order."""

# --- first
import lagrangian as lg

arm = lg.library("two_r")
code = lg.export(arm, "c", "two_r_c", functions=["inverse_dynamics", "jacobian:tip"])
print([path.name for path in code.paths])
header = code.files["two_r.h"]
print(header[header.index("void two_r_jacobian_tip") :].splitlines()[0])

# --- targets
for name, about in lg.export_targets().items():
    print(f"{name:8} {about}")

# --- parameters
panda = lg.library("panda")
code = lg.export(
    panda, "c", functions=["gravity"], parameters=["link7.mass", "link7.center.z"]
)
header = code.files["panda.h"]
start = header.index("typedef struct")
print(header[start : header.index("} panda_parameters;")])

# --- payload
mp = lg.parameter("mp", 3.0)
loaded = panda.replace(parameters={**panda.parameters, "mp": mp})
loaded = loaded.with_payload("tool", mp, center=(0, 0, 0.05))
code = lg.export(loaded, "c", functions=["gravity"], parameters=["mp"])
header = code.files["panda.h"]
print(header[header.index("typedef struct") : header.index("} panda_parameters;")])

# --- numpy
import importlib.util

import numpy as np

lg.export(arm, "numpy", "two_r_numpy", functions=["inverse_dynamics"])
spec = importlib.util.spec_from_file_location("two_r", "two_r_numpy/two_r.py")
two_r = importlib.util.module_from_spec(spec)
spec.loader.exec_module(two_r)
states = np.zeros((1000, 2))
print(two_r.inverse_dynamics(states, states, states).shape)
print(two_r.inverse_dynamics([0.3, -0.7], [0, 0], [0, 0]).round(6))
print(lg.compile(arm).inverse_dynamics([0.3, -0.7], [0, 0], [0, 0]).round(6))

# --- fmu
import fmpy

lg.export("four_bar", "fmu", "four_bar.fmu")
results = fmpy.simulate_fmu(
    "four_bar.fmu",
    fmi_type="CoSimulation",
    stop_time=2.0,
    output_interval=0.1,
    start_values={"m2": 1.5},
    output=["theta1", "C.x"],
)
run = lg.simulate(lg.library("four_bar", {"m2": 1.5}), 2.0, t_eval=21)
print(abs(results["theta1"] - run.q[:, 0]).max() < 1e-6)

# --- casadi
import casadi

functions = lg.export(arm, "casadi", functions=["forward_dynamics", "pose:tip"])
print(functions.forward_dynamics)
print(functions.forward_dynamics([0.3, -0.7], [0, 0], [1, 0]))
q, qd, tau = (casadi.SX.sym(name, 2) for name in ("q", "qd", "tau"))
by_q = casadi.jacobian(functions.forward_dynamics(q, qd, tau), q)
by_q = casadi.Function("by_q", [q, qd, tau], [by_q])
print(by_q([0.3, -0.7], [0, 0], [1, 0]).full().round(4))

# --- jax
import jax

jax.config.update("jax_enable_x64", True)
functions = lg.export(arm, "jax", functions=["kinetic_energy", "mass_matrix"])
q, qd = np.array([0.3, -0.7]), np.array([0.5, 0.2])
print(jax.grad(functions.kinetic_energy, argnums=1)(q, qd).round(6))
print((functions.mass_matrix(q) @ qd).round(6))
