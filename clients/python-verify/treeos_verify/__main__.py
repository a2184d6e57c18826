"""`python -m treeos_verify`."""

from .command import main

main()
