"""`python -m lagrangian` is the command `lagrangian`."""

from lagrangian.cli.main import main

if __name__ == "__main__":
    main()
