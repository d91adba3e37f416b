"""Says at the end how much of PyTorch's own examples was compared."""

from collections import Counter

from minigrad.autograd.grad_mode import unusual


def pytest_runtest_setup():
    """Let each test begin as a session does: an inference mode that was used once would close the everyday ways."""
    unusual.clear()


def pytest_terminal_summary(terminalreporter):
    """Add up the verdicts that test_docstrings.py recorded."""
    verdicts = Counter()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == "statements":
                verdict, count = value
                verdicts[verdict] += count
    if verdicts:
        listed = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        terminalreporter.write_line(f"statements of PyTorch's examples: {verdicts.total()} in all; {listed}")
