"""`python -m gough`: the command line."""

from gough.cli import run_process

run_process()
