"""Exercise checks, one module per lesson: ``from lessons.checks import first_gradient as check``."""
