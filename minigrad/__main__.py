"""``python -m minigrad``: the ``minigrad`` command, where it is installed."""

import sys
from importlib.metadata import entry_points

_commands = entry_points(group="console_scripts", name="minigrad")
if not _commands:
    sys.exit('The minigrad command is not installed: pip install "minigrad-lessons[lab]" brings it.')
sys.exit(next(iter(_commands)).load()())
