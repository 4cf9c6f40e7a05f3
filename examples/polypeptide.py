"""A polypeptide in torsion angles: 500 residues, a stretched strand that winds up into an alpha helix.

Bond lengths and bond angles are rigid; each residue turns about two bonds, by phi and psi. That is one chain of 1000 joints on
a free first atom. Units are those of molecular dynamics: nanometres, daltons and picoseconds; then an energy is in kJ/mol.

    python polypeptide.py            # prints what happens
    python polypeptide.py helix.png  # and draws it
"""

import sys
import time

import numpy as np

import lagrangian as lg

RESIDUES = 500
N_CA, CA_C, C_N = 0.1458, 0.1525, 0.1329  # lengths of bonds, nm
AT_CA, AT_C, AT_N = np.radians([111.0, 116.2, 121.7])  # angles between them
HELIX, STRAND = np.radians([-57.0, -47.0]), np.radians([-130.0, 130.0])  # phi and psi
STIFFNESS, DAMPING = 40.0, 8.0  # kJ/mol/rad^2, and kJ/mol ps/rad: water is thick at this scale

turn = lg.Placement.from_rpy


def bond(length: float, angle: float, torsion: float = 0.0) -> lg.Placement:
    """From a frame at one atom, z along the bond, to that at the next one: its z is along the next bond."""
    return turn((0, 0, length), (0, 0, torsion)) @ turn((0, 0, 0), (np.pi - angle, 0, 0))


def group(name: str, *atoms: tuple[float, tuple[float, float, float]]) -> lg.Body:
    """Atoms (mass, place) as one rigid body; an atom is a ball of 0.05 nm."""
    masses, places = np.array([m for m, _ in atoms]), np.array([x for _, x in atoms], dtype=float)
    mass, center = masses.sum(), masses @ places / masses.sum()
    arms = places - center
    inertia = sum(m * ((x @ x + 0.4 * 0.05**2) * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, arms, strict=True))
    return lg.Body(name, mass, tuple(center), tuple(inertia[np.triu_indices(3)]))


def at(place: lg.Placement) -> tuple[float, float, float]:
    return tuple(float(x) for x in place.position)


# what phi turns: the alpha carbon and its side chain, here alanine's; z is along the bond from nitrogen to it
to_c = bond(N_CA, AT_CA)
b, c = np.array([0, 0, N_CA]), to_c.matrix()[:3, 2] * CA_C
beta = np.array([0, 0, N_CA]) - 5.8273431 * np.cross(b, c) + 0.56802827 * b - 0.54067466 * c  # of an L amino acid
ALPHA = (13.02, (0, 0, N_CA)), (15.03, tuple(beta))
# what psi turns: the peptide group, which is flat; z is along the bond from the alpha carbon to carbon
to_n = bond(CA_C, AT_C)
to_alpha = to_n @ bond(C_N, AT_N, np.pi)
oxygen = to_n @ turn((0, 0, 0), (np.radians(123.0), 0, 0)) @ turn((0, 0, 0.1231), (0, 0, 0))
hydrogen = to_n @ turn((0, 0, C_N), (0, 0, np.pi)) @ turn((0, 0, 0), (np.radians(119.0) - np.pi, 0, 0)) @ turn((0, 0, 0.101), (0, 0, 0))
PEPTIDE = (12.01, (0, 0, CA_C)), (14.01, at(to_alpha)), (16.0, at(oxygen)), (1.008, at(hydrogen))


def polypeptide(residues: int) -> lg.Mechanism:
    bodies, joints = [group("start", (17.03, (0, 0, 0)))], [lg.Joint("start", "free", "ground", "start")]
    for k in range(residues):
        parts = {"phi": (group(f"alpha{k}", *ALPHA), to_alpha if k else lg.Placement()), "psi": (group(f"peptide{k}", *PEPTIDE), to_c)}
        for (angle, (body, place)), rest in zip(parts.items(), HELIX, strict=True):
            held = {"spring": lg.JointSpring(STIFFNESS, rest), "friction": lg.Friction(viscous=DAMPING)}
            joints.append(lg.Joint(f"{angle}{k}", "revolute", bodies[-1].name, body.name, place, axis="z", **held))
            bodies.append(body)
    return lg.Mechanism("polypeptide", bodies, joints, gravity=(0, 0, 0))


def alpha_carbons(q: np.ndarray) -> np.ndarray:
    """Where they are, (residues, 3)."""
    w, x, y, z = q[:4]
    place = np.eye(4)
    place[:3, :3] = lg.Placement.from_quaternion((0, 0, 0), (w, x, y, z)).matrix()[:3, :3]
    place[:3, 3] = q[4:7]
    steps, found = {"phi": to_alpha.matrix(), "psi": to_c.matrix()}, []
    for k, angle in enumerate(q[7:]):
        here = np.eye(4)
        here[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        place = place @ (steps["psi" if k % 2 else "phi"] if k else np.eye(4)) @ here
        if k % 2 == 0:
            found.append(place[:3, 3] + place[:3, 2] * N_CA)
    return np.array(found)


def draw(motion: lg.Motion, path: str) -> None:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(11, 7), layout="constrained")
    grid = figure.add_gridspec(2, 4, height_ratios=[2.2, 1])
    for column, t in enumerate(np.linspace(0, motion.t[-1], 4)):
        x = alpha_carbons(motion(t)[0])
        x -= x.mean(axis=0)
        axes = np.linalg.svd(x, full_matrices=False)[2]  # seen from the side, the longest way up
        side = x @ axes.T
        panel = figure.add_subplot(grid[0, column])
        panel.plot(side[:, 1], side[:, 0], lw=0.4, color="0.6", zorder=1)
        panel.scatter(side[:, 1], side[:, 0], c=np.arange(len(x)), s=7, cmap="viridis", zorder=2)
        panel.set(aspect="equal", title=f"{t:g} ps", xlim=(-35, 35), ylim=(-95, 95))
        panel.set(xlabel="nm", ylabel="nm" if column == 0 else "")
    left, right = figure.add_subplot(grid[1, :2]), figure.add_subplot(grid[1, 2:])
    times = motion.t[::5]
    ends = [alpha_carbons(motion(t)[0])[[0, -1]] for t in times]
    left.plot(times, [np.linalg.norm(b - a) for a, b in ends])
    left.set(xlabel="ps", ylabel="nm", title="from end to end")
    near = np.abs(motion.q[:, 7:].reshape(len(motion.t), -1, 2) - HELIX).max(axis=2) < np.radians(20)
    right.imshow(near.T, aspect="auto", origin="lower", extent=(0, motion.t[-1], 0, near.shape[1]), cmap="Greens", vmin=0, vmax=1.3)
    right.set(xlabel="ps", ylabel="residue", title="which residues are within 20 degrees of the helix")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    peptide = polypeptide(RESIDUES)
    dyn = lg.compile(peptide)
    rng = np.random.default_rng(1)
    q0 = np.concatenate([[1, 0, 0, 0, 0, 0, 0], np.tile(STRAND, RESIDUES) + rng.normal(size=2 * RESIDUES) * 0.05])
    qd0, tau = np.zeros(peptide.nv), np.zeros(peptide.nv)
    dyn.forward_dynamics(q0, qd0, tau)  # compiled here
    start, times = time.perf_counter(), 200
    for _ in range(times):
        dyn.forward_dynamics(q0, qd0, tau)
    print(f"{peptide.nv} speeds; forward dynamics of one state in {(time.perf_counter() - start) / times * 1e6:.0f} us")
    start = time.perf_counter()
    motion = lg.simulate(peptide, 60, q0, rtol=1e-6, atol=1e-8, t_eval=np.linspace(0, 60, 301))
    print(f"{motion}\nin {time.perf_counter() - start:.1f} s")
    for t in (0.0, 20.0, 60.0):
        q = motion(t)[0]
        x = alpha_carbons(q)
        near = np.abs(q[7:].reshape(-1, 2) - HELIX).max(axis=1) < np.radians(20)
        print(f"{t:4.0f} ps: {np.linalg.norm(x[-1] - x[0]):6.1f} nm from end to end, {near.mean():4.0%} of the residues in the helix")
    if len(sys.argv) > 1:
        draw(motion, sys.argv[1])
