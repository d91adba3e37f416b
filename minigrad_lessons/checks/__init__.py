"""Exercise checks, one module per lesson: ``from minigrad_lessons.checks import first_gradient as check``."""

from minigrad_lessons import names
from minigrad_lessons.own_lines import show_own_lines

show_own_lines()
names.refuse()  # here, because every lesson's first cell comes by
