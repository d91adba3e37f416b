"""What PyTorch prints for each program, written down: `python -m tests.core.acceptance`. Needs the `torch` extra."""

import torch

from tests.core.test_acceptance import PROGRAMS, printed

for program in PROGRAMS:
    program.with_suffix(".txt").write_text(printed(program, torch), encoding="utf-8", newline="\n")
