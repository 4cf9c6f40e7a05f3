"""Simulate a polypeptide in torsion angles: an alpha helix of 500 residues at room temperature.

Bond lengths and bond angles are rigid. Each residue turns about two bonds, by phi and psi. The result is one chain of 1000 joints
on a free first atom. The units are those of molecular dynamics: nanometres, daltons and picoseconds, so energies are in kJ/mol.

Give the name of a picture to draw the result: `python polypeptide.py picture.png`.
"""

import sys
import time

import numpy as np

import lagrangian as lg

RESIDUES = 500
N_CA, CA_C, C_N = 0.1458, 0.1525, 0.1329  # bond lengths, nm
AT_CA, AT_C, AT_N = np.radians([111.0, 116.2, 121.7])  # bond angles
HELIX = np.radians([-57.0, -47.0])  # phi and psi
STIFFNESS = 80.0  # of the helix against a turn of phi or psi, kJ/mol/rad^2
HEAT = 2.494  # Boltzmann's constant times 300 K, kJ/mol

turn = lg.Transform.from_rpy


def bond(length: float, angle: float, torsion: float = 0.0) -> lg.Transform:
    """The placement of the next atom's frame in the frame of an atom; z is along the bond that follows."""
    return turn((0, 0, length), (0, 0, torsion)) @ turn((0, 0, 0), (np.pi - angle, 0, 0))


def group(name: str, *atoms: tuple[float, tuple[float, float, float]]) -> lg.Body:
    """One rigid body of atoms (mass, position); an atom is a ball of radius 0.05 nm."""
    masses, places = np.array([m for m, _ in atoms]), np.array([x for _, x in atoms], dtype=float)
    mass, center = masses.sum(), masses @ places / masses.sum()
    arms = places - center
    inertia = sum(m * ((x @ x + 0.4 * 0.05**2) * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, arms, strict=True))
    return lg.Body(name, mass, tuple(center), tuple(inertia[np.triu_indices(3)]))


def at(place: lg.Transform) -> tuple[float, float, float]:
    return tuple(float(x) for x in place.position)


# phi turns the alpha carbon and its side chain, here of alanine; z is along the bond from the nitrogen
to_c = bond(N_CA, AT_CA)
b, c = np.array([0, 0, N_CA]), to_c.matrix()[:3, 2] * CA_C
beta = np.array([0, 0, N_CA]) - 5.8273431 * np.cross(b, c) + 0.56802827 * b - 0.54067466 * c  # of an L amino acid
ALPHA = (13.02, (0, 0, N_CA)), (15.03, tuple(beta))
# psi turns the peptide group, which is flat; z is along the bond from the alpha carbon to the carbon
to_n = bond(CA_C, AT_C)
to_alpha = to_n @ bond(C_N, AT_N, np.pi)
oxygen = to_n @ turn((0, 0, 0), (np.radians(123.0), 0, 0)) @ turn((0, 0, 0.1231), (0, 0, 0))
hydrogen = (
    to_n @ turn((0, 0, C_N), (0, 0, np.pi)) @ turn((0, 0, 0), (np.radians(119.0) - np.pi, 0, 0)) @ turn((0, 0, 0.101), (0, 0, 0))
)
PEPTIDE = (12.01, (0, 0, CA_C)), (14.01, at(to_alpha)), (16.0, at(oxygen)), (1.008, at(hydrogen))


def polypeptide(residues: int) -> lg.Mechanism:
    bodies, joints = [group("start", (17.03, (0, 0, 0)))], [lg.Joint("start", "free", "ground", "start")]
    for k in range(residues):
        parts = {
            "phi": (group(f"alpha{k}", *ALPHA), to_alpha if k else lg.Transform()),
            "psi": (group(f"peptide{k}", *PEPTIDE), to_c),
        }
        for (angle, (body, place)), rest in zip(parts.items(), HELIX, strict=True):
            spring = lg.JointSpring(STIFFNESS, float(rest))
            joints.append(lg.Joint(f"{angle}{k}", "revolute", bodies[-1].name, body.name, place, axis="z", spring=spring))
            bodies.append(body)
    return lg.Mechanism("polypeptide", bodies, joints, gravity=(0, 0, 0))


def alpha_carbons(q: np.ndarray) -> np.ndarray:
    """The positions of the alpha carbons, (residues, 3)."""
    w, x, y, z = q[:4]
    place = np.eye(4)
    place[:3, :3] = lg.Transform.from_quaternion((0, 0, 0), (w, x, y, z)).matrix()[:3, :3]
    place[:3, 3] = q[4:7]
    steps, results = {"phi": to_alpha.matrix(), "psi": to_c.matrix()}, []
    for k, angle in enumerate(q[7:]):
        here = np.eye(4)
        here[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        place = place @ (steps["psi" if k % 2 else "phi"] if k else np.eye(4)) @ here
        if k % 2 == 0:
            results.append(place[:3, 3] + place[:3, 2] * N_CA)
    return np.array(results)


def warm(dyn: lg.Dynamics, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random angles and speeds with the Maxwell-Boltzmann distribution: the mean of qd' M qd is kT per speed."""
    angles = np.tile(HELIX, RESIDUES) + rng.normal(size=2 * RESIDUES) * (HEAT / STIFFNESS) ** 0.5
    q = np.concatenate([[1, 0, 0, 0, 0, 0, 0], angles])
    L = np.linalg.cholesky(dyn.mass_matrix(q))
    return q, HEAT**0.5 * np.linalg.solve(L.T, rng.normal(size=dyn.nv))


def draw(motion: lg.Motion, kinetic: np.ndarray, path: str) -> None:
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    figure = plt.figure(figsize=(11, 8.5), layout="constrained")
    grid = figure.add_gridspec(3, 2, height_ratios=[1.3, 0.8, 1])
    times = np.linspace(0, motion.t[-1], 6)
    shapes = [alpha_carbons(motion(t)[0]) for t in times]
    center, axes = shapes[0].mean(axis=0), np.linalg.svd(shapes[0] - shapes[0].mean(axis=0), full_matrices=False)[2]
    whole, near = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, :])
    for t, x in zip(times, shapes, strict=True):
        whole.plot(*((x - center) @ axes[:2].T).T, lw=0.8, color=plt.cm.plasma(0.85 * t / times[-1]), label=f"{t:g} ps")
    whole.set(
        aspect="equal",
        xlabel="nm",
        ylabel="nm",
        title=f"{RESIDUES} residues, {motion.q.shape[1] - 7} torsion angles, seen from the side",
    )
    whole.legend(ncols=6, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.18))
    part = shapes[0][RESIDUES // 2 : RESIDUES // 2 + 60]
    flat = (part - part.mean(axis=0)) @ np.linalg.svd(part - part.mean(axis=0), full_matrices=False)[2].T
    pieces = np.stack([flat[:-1], flat[1:]], axis=1)
    back_first = np.argsort(pieces[:, :, 2].mean(axis=1))
    near.add_collection(
        LineCollection(pieces[back_first][:, :, :2], array=pieces[back_first][:, :, 2].mean(axis=1), lw=5, cmap="viridis")
    )
    near.set(aspect="equal", xlabel="nm", ylabel="nm", title="60 residues of it at the start: alpha carbons, 3.6 in a turn")
    near.autoscale()
    left, right = figure.add_subplot(grid[2, 0]), figure.add_subplot(grid[2, 1])
    left.plot(motion.t, kinetic * 2 / HEAT / (motion.q.shape[1] - 1) * 300)
    left.set(xlabel="ps", ylabel="K", title="temperature")
    ends = [np.linalg.norm(x[-1] - x[0]) for x in map(alpha_carbons, motion.q)]
    right.plot(motion.t, ends)
    right.set(xlabel="ps", ylabel="nm", title="from end to end")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    peptide = polypeptide(RESIDUES)
    dyn = lg.compile(peptide)
    q0, qd0 = warm(dyn, np.random.default_rng(1))
    tau = np.zeros(peptide.nv)
    dyn.forward_dynamics(q0, qd0, tau)  # compile
    best = np.inf
    for _ in range(500):
        start = time.perf_counter()
        dyn.forward_dynamics(q0, qd0, tau)
        best = min(best, time.perf_counter() - start)
    print(f"{peptide.nv} speeds; forward dynamics of one state in {best * 1e6:.0f} us")
    motion = lg.simulate(peptide, 10, q0, qd0, rtol=1e-6, atol=1e-8, t_eval=np.linspace(0, 10, 101))
    print(motion)
    kinetic = dyn.kinetic_energy(motion.q, motion.qd)
    total = kinetic + dyn.potential_energy(motion.q)
    print(f"energy: {total[0]:.2f} kJ/mol, constant to {np.ptp(total):.1e}")
    warmth = kinetic * 2 / HEAT / peptide.nv * 300
    print(f"temperature: {warmth[0]:.0f} K at the start, {warmth.mean():.0f} K on average")
    for t in (0.0, 5.0, 10.0):
        x = alpha_carbons(motion(t)[0])
        print(f"{t:4.0f} ps: {np.linalg.norm(x[-1] - x[0]):6.2f} nm from end to end")
    if len(sys.argv) > 1:
        draw(motion, kinetic, sys.argv[1])
