"""minigrad beside its peers: `python -m tests.benchmarks`.

Installs nothing: a library that is not here is shown as missing (`pip install -e '.[bench]'` brings them all). Every
row of the table is a file or a function in `rows/`; how they are timed is in `contest.py`.
"""

from __future__ import annotations

# Before whatever computes:
from . import one_thread  # noqa: F401

# isort: split

import argparse
import json
import sys
from pathlib import Path

from . import report
from .contest import Row, WrongResult, compete
from .rows import chain, double_backward, everyday, imports, large, million, network, scalar, sharing, small_op

ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        chain.ROW,
        scalar.ROW,
        network.TRAIN,
        network.FORWARD,
        everyday.NN,
        everyday.CALL,
        small_op.ROW,
        large.TIME,
        large.MEMORY,
        million.TIME,
        million.MEMORY,
        sharing.DIAMOND,
        sharing.LEAF,
        imports.ROW,
        double_backward.ROW,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="minigrad beside its peers.")
    parser.add_argument("--only", nargs="+", metavar="ROW", choices=ROWS, help=f"some rows of: {', '.join(ROWS)}")
    parser.add_argument("--smoke", action="store_true", help="little work: do the results agree?")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write table.md, results.json and ratios.svg there")
    parser.add_argument("--publish", action="store_true", help="put the table into table.md and into docs/speed.md")
    options = parser.parse_args()
    if options.publish and (options.smoke or options.only):
        parser.error("--publish is for the whole table")

    outcomes = []
    for name in options.only or ROWS:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            outcomes.append(compete(ROWS[name], options.smoke))
        except WrongResult as error:
            raise SystemExit(f"wrong result: {error}") from None
    summary = "The results agree. Such short times mean little." if options.smoke else report.summary(outcomes)
    text = f"{report.table(outcomes)}\n\n{summary}\n"
    sys.stdout.reconfigure(encoding="utf-8")
    print(text)
    if options.publish:
        report.publish(outcomes, Path(__file__).parents[2])
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "table.md").write_text(text, encoding="utf-8")
        results = json.dumps(report.as_json(outcomes), indent=1, ensure_ascii=False)
        (options.out / "results.json").write_text(results + "\n", encoding="utf-8")
        report.plot(outcomes, options.out / "ratios.svg")


if __name__ == "__main__":
    main()
