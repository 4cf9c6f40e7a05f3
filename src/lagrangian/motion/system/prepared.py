"""What simulating a mechanism needs to know of it, found once: its systems too, so that a second run begins at once."""

from __future__ import annotations

from collections.abc import Sequence

from lagrangian.algorithms.constraints.constrained_dynamics import GroupRanks
from lagrangian.algorithms.singular_mass import has_singular_mass_matrix, undetermined_joints
from lagrangian.cached import cached_property
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.motion.events import of_kinks
from lagrangian.motion.falling import falling
from lagrangian.motion.settings import Stabilisation
from lagrangian.motion.system.balance import moves_constraints
from lagrangian.motion.system.event_table import EventTable
from lagrangian.motion.system.holdable import Holdable, frictional, limited
from lagrangian.motion.system.system import System
from lagrangian.motion.torque import Torque

MECHANISMS = SYSTEMS = 32  # that are remembered


class Prepared:
    """A mechanism, compiled, and what is known of it."""

    def __init__(self, dyn: Dynamics) -> None:
        # a handle of its own: a motion can be asked for anything after the caller's has been closed
        self.dyn, self.tree = dyn.share(), dyn.tree
        self.undetermined = undetermined_joints(self.tree)
        self.massless = has_singular_mass_matrix(dyn.mechanism, self.tree)
        self.limits = limited(dyn.mechanism)
        self.frictional = frictional(dyn.mechanism)
        self.kinks = of_kinks(dyn.mechanism)
        self.told_of_actuators = False  # which is told once
        self._systems: dict[object, System] = {}

    @cached_property
    def conservative(self) -> bool:
        """Whether nothing of the mechanism itself takes or gives energy: no friction, no constraint that moves."""
        springs = self.dyn.mechanism.springs
        lossy = self.dyn.friction_constants.lossy or any(float(s.damping) for s in springs)
        return not (lossy or moves_constraints(self.dyn.mechanism))

    @cached_property
    def falling(self) -> list[str]:
        """The bodies that nothing holds though their file leaves it to the ground to do so."""
        return falling(self.dyn.mechanism)

    def system(
        self,
        torque: Torque,
        stabilisation: Stabilisation,
        table: EventTable,
        holdable: Sequence[Holdable],
        redundant: bool,
        ranks: GroupRanks = (),
    ) -> System:
        """Its first-order system, made before if there was a run like this one."""
        known = torque.key
        key = (known, stabilisation, table.key, tuple(holdable), redundant, ranks)
        found = self._systems.get(key) if known is not None else None
        if found is None:
            known_masses = self.massless if self.dyn.mechanism.equation_count else False
            found = System(self.dyn.mechanism, self.tree, torque, stabilisation, table, holdable, redundant, ranks, known_masses)
            if known is not None:
                if len(self._systems) >= SYSTEMS:
                    self._systems.clear()
                self._systems[key] = found
        return found


_PREPARED: dict[int, Prepared] = {}


def prepared(dyn: Dynamics) -> Prepared:
    """What is known of a mechanism; of the last ones it is remembered. Dynamics that were closed are refused."""
    tree = dyn.tree
    found = _PREPARED.get(id(tree))
    if found is None or found.tree is not tree:
        if len(_PREPARED) >= MECHANISMS:
            _PREPARED.clear()
        found = _PREPARED[id(tree)] = Prepared(dyn)
    return found
