"""``python -m exactdp.cli``."""

from exactdp.cli.app import main

if __name__ == "__main__":
    main()
