"""Remake the README's picture by running the README's own code: `python docs/pictures.py`."""

import re
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the README's example and save what its last line, `viz.draw(loss)`, shows."""
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    *setup, drawing = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1).strip().splitlines()
    variables: dict = {}
    exec("\n".join(setup), variables)
    eval(drawing, variables).save(HERE / "first-gradient.svg")


if __name__ == "__main__":
    main()
