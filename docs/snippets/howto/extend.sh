# --- fuzz
python -m tests.fuzz --count 100000 --workers 2   # Ctrl-C shows the counts so far
python -m tests.fuzz --seed 1 --only 4711         # one input again, with tracebacks
python -m tests.fuzz --family mjcf --deep 1       # one family, all of it simulated
