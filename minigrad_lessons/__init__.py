"""Lessons on autograd, each one source and two notebooks (English and Chinese)."""
