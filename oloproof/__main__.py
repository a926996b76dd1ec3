"""``python -m oloproof``."""

from oloproof.cli import main

main()
