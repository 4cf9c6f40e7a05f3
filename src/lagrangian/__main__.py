"""`python -m lagrangian` is the command `lagrangian`."""

import sys

INTERRUPTED = 130  # as shells have it


def main() -> None:
    """The entry point. Ctrl-C ends it without a traceback, also while modules are imported."""
    try:
        from lagrangian.cli.main import main as command

        command()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
