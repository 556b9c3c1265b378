"""``python -m noc`` is the command ``noc``."""

import sys

from noc.cli import main

sys.exit(main())
