"""``python -m exactdp``: the commands."""

from exactdp.cli.entry import main

if __name__ == "__main__":
    main()
