"""Random and mutated inputs: each gives a result or an error of our own, never a crash, a hang or a wrong number unsaid.

`python -m tests.fuzz --count 100000 --workers 2` runs many of them, and `--only 4711` one again.
"""
