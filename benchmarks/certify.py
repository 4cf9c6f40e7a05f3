"""Seconds and digits of `lagrangian.certify`.

    python benchmarks/certify.py                  # all problems
    python benchmarks/certify.py --only two_r     # one of them
    python benchmarks/certify.py --digits 100     # more digits

Each row has the bits, the order and the steps that it took, the seconds, and how far `lagrangian.simulate` at rtol 1e-12 is from
the proven state: at most so much in any coordinate or speed.
"""

from __future__ import annotations

import argparse

import lagrangian as lg

PROBLEMS = {
    "pendulum": ("pendulum", 10.0, {"q0": {"theta": "pi/4"}}),
    "two_r": ("two_r", 10.0, {}),
    "double_pendulum": ("double_pendulum", 10.0, {}),
    "heavy_top": ("heavy_top", 0.1, {}),
    "free_body": ("free_body", 2.0, {}),
    "cart_pendulum": ("cart_pendulum", 5.0, {}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PROBLEMS)
    parser.add_argument("--digits", type=int, default=30)
    options = parser.parse_args()
    print(f"{'problem':<18} {'t':>5} {'digits':>6} {'bits':>5} {'order':>5} {'steps':>5} {'seconds':>8}  simulate is off by")
    for name in [options.only] if options.only else PROBLEMS:
        mechanism, t, start = PROBLEMS[name]
        certified_motion = lg.certify(mechanism, t, digits=options.digits, **start)
        off = certified_motion.error_bounds(lg.simulate(mechanism, t, rtol=1e-12, atol=1e-14, **start)).max()
        how = (
            f"{certified_motion.bits:>5} {certified_motion.order:>5} {certified_motion.steps:>5} {certified_motion.seconds:>8.1f}"
        )
        print(f"{name:<18} {t:>5g} {certified_motion.digits:>6} {how}  {off:.1e}")


if __name__ == "__main__":
    main()
