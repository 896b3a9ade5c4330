"""`python -m gough`: the command line."""

import sys

from gough.cli import main

sys.exit(main())
