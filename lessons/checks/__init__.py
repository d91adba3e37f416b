"""Exercise checks, one module per lesson: ``from lessons.checks import first_gradient as check``."""

from lessons.own_lines import show_own_lines

show_own_lines()
