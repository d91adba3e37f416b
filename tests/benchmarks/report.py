"""The outcomes as a table, as JSON and as a plot."""

from __future__ import annotations

import datetime
import os
import platform
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from .contest import CLOCK, SUBJECT, Outcome
from .peers import versions


def environment() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version() + ("" if _optimised() else " (built without profile-guided optimisation)"),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": 1,
        "clock": CLOCK.__name__,
        "versions": versions(),
        "command": "python -m tests.benchmarks",
    }


def _optimised() -> bool:
    """Whether this Python was built as those of python.org and of the distributions are; nobody knows on Windows.

    Debian and those who follow it optimise, too, but by another command than the option.
    """
    options = sysconfig.get_config_var("CONFIG_ARGS")
    return options is None or "--enable-optimizations" in options or "deb_system" in sysconfig.get_scheme_names()


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return platform.processor() or "unknown processor"


# ---------------------------------------------------------------------------------------------------------------------
# Text


#: The words of the table in both languages.
WORDS = {
    "en": {
        "head": ("work", SUBJECT, "beside", "takes", "ratio [quartiles]", "target", ""),
        "verdict": {True: "met", False: "missed", None: ""},
        "environment": "{date}, Python {python}, {libraries}; {processor}, {system}, one thread.",
        "met": "{met} of {all} targets met.",
        "command": "Command: `{command}`. Times are medians; a ratio is the median of the turns' own ratios.",
        "phrases": {},
    },
    "zh": {
        "head": ("工作", SUBJECT, "对比", "用时", "比值 [四分位数]", "目标", ""),
        "verdict": {True: "达到", False: "未达到", None: ""},
        "environment": "{date}，Python {python}，{libraries}；{processor}，{system}，单线程。",
        "met": "{all} 个目标中达到 {met} 个。",
        "command": "命令：`{command}`。用时取中位数；比值先在每一轮内计算，再取中位数。",
        # What rows and peers say of themselves in English.
        "phrases": {
            "minigrad, 10,000 ops": "minigrad，10,000 个运算",
            "PyTorch, 10,000 ops": "PyTorch，10,000 个运算",
            "minigrad, 2^10 paths": "minigrad，2^10 条路径",
            "minigrad, 10,000 uses": "minigrad，用 10,000 次",
            "a bare tape": "只有链式法则的实现",
            "tinygrad, no TinyJit": "tinygrad，不用 TinyJit",
            "no usable devices (on a CPU it needs clang)": "没有可用的设备（在 CPU 上需要 clang）",
            " (built without profile-guided optimisation)": "（构建时未做 PGO 优化）",
        },
    },
}


def say(text: str, lang: str) -> str:
    """`text` with the phrases that are known in another language put into it."""
    for phrase, translated in WORDS[lang]["phrases"].items():
        text = text.replace(phrase, translated)
    return text


def table(outcomes: Sequence[Outcome], lang: str = "en") -> str:
    """A Markdown table that reads well as it stands: for each row and peer the medians, the ratio and its target."""
    head = WORDS[lang]["head"]
    rows = [head, *(line for outcome in outcomes for line in _lines(outcome, lang))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = (0, 2)  # text; the other columns are numbers

    def line(cells: Sequence[str]) -> str:
        padded = (c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))
        return f"| {' | '.join(padded)} |"

    rule = "|".join("-" * (width + 2) if i in left else "-" * (width + 1) + ":" for i, width in enumerate(widths))
    return "\n".join([line(head), f"|{rule}|", *map(line, rows[1:])])


def _lines(outcome: Outcome, lang: str) -> list[tuple[str, ...]]:
    row = outcome.row
    own = quantity(median(outcome.samples[SUBJECT]), row.unit)
    lines = []
    for peer in row.contestants:
        target = f"≤ {row.targets[peer]:g}" if peer in row.targets else ""
        if peer in outcome.missing:
            lines.append(("", "", say(peer, lang), say(outcome.missing[peer], lang), "", target, ""))
        elif peer != SUBJECT:
            low, middle, high = quartiles(outcome.ratios(peer))
            verdict = WORDS[lang]["verdict"][outcome.met(peer)]
            takes = quantity(median(outcome.samples[peer]), row.unit)
            lines.append(("", "", say(peer, lang), takes, f"{middle:.2f} [{low:.2f}–{high:.2f}]", target, verdict))
    lines = lines or [("", "", "", "", "", "", "")]
    lines[0] = (row.work if lang == "en" else row.work_zh, own, *lines[0][2:])
    return lines


def measured_with(lang: str = "en") -> str:
    """The date, the versions and the machine, in a line."""
    facts = environment()
    libraries = {"zh": "，"}.get(lang, ", ").join(f"{name} {version}" for name, version in facts["versions"].items())
    return WORDS[lang]["environment"].format(**facts, libraries=libraries)


def summary(outcomes: Sequence[Outcome], lang: str = "en") -> str:
    """What the table was measured with, and how many targets are met."""
    words = WORDS[lang]
    verdicts = [outcome.met(peer) for outcome in outcomes for peer in outcome.row.targets if peer in outcome.samples]
    counted = words["met"].format(met=sum(map(bool, verdicts)), all=len(verdicts))
    return say("\n".join([measured_with(lang), words["command"].format(**environment()), counted]), lang)


def publish(outcomes: Sequence[Outcome], root: Path) -> None:
    """Write the table into `tests/benchmarks/table.md` and, between two marks, into docs/speed.md and speed.zh.md."""
    text = f"{table(outcomes)}\n\n{summary(outcomes)}\n"
    (root / "tests" / "benchmarks" / "table.md").write_text(text, encoding="utf-8", newline="\n")
    for lang, name in (("en", "docs/speed.md"), ("zh", "docs/speed.zh.md")):
        before, _, rest = (root / name).read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        assert after, f"{name} must have {BEGIN} and {END} where the table stands"
        text = f"{before}{BEGIN}\n{table(outcomes, lang)}\n\n{summary(outcomes, lang)}\n{END}{after}"
        (root / name).write_text(text, encoding="utf-8", newline="\n")


BEGIN, END = "<!-- benchmark -->", "<!-- /benchmark -->"


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The values below which a quarter, half and three quarters of `values` lie."""
    if len(values) == 1:
        return (values[0],) * 3
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high


def quantity(value: float, unit: str) -> str:
    """0.00123 seconds as `1.23 ms`; bytes in MB."""
    if unit == "B":
        return f"{value / 1e6:.0f} MB"
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value / 1e-9:.3g} ns"


# ---------------------------------------------------------------------------------------------------------------------
# JSON and plot


def as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Everything, down to the single samples."""
    rows = []
    for outcome in outcomes:
        ratios = {}
        for peer in outcome.samples:
            if peer != SUBJECT:
                low, middle, high = quartiles(outcome.ratios(peer))
                ratios[peer] = {
                    "median": middle,
                    "quartiles": [low, high],
                    "target": outcome.row.targets.get(peer),
                    "met": outcome.met(peer),
                }
        rows.append(
            {
                "name": outcome.row.name,
                "work": outcome.row.work,
                "unit": outcome.row.unit,
                "medians": {name: median(samples) for name, samples in outcome.samples.items()},
                "ratios": ratios,
                "missing": outcome.missing,
                "samples": outcome.samples,
            }
        )
    return {"environment": environment(), "rows": rows}


def plot(outcomes: Sequence[Outcome], path: Path) -> bool:
    """Draw the ratios, with their quartiles and targets, into a file. False if there is no matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure  # not pyplot: a Figure alone needs no display
    except ImportError:
        print("no plot: matplotlib is not installed", file=sys.stderr)
        return False
    lines = [(outcome, peer) for outcome in outcomes for peer in outcome.samples if peer != SUBJECT]
    # Text stays text and ids do not change: a plot that is kept in a repository should differ only where it changed.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "minigrad"}):
        figure = Figure(figsize=(10, 1.4 + 0.34 * len(lines)), layout="constrained")
        axes = figure.subplots()
        for y, (outcome, peer) in enumerate(lines):
            low, middle, high = quartiles(outcome.ratios(peer))
            target, met = outcome.row.targets.get(peer), outcome.met(peer)
            colour = {True: "#0072b2", False: "#d55e00", None: "#777777"}[met]
            axes.barh(y, middle - 1, left=1, height=0.62, color=colour, alpha=0.35)
            axes.plot([low, high], [y, y], color=colour, linewidth=2.5)
            axes.plot([middle], [y], "o", color=colour, markersize=5)
            if target is not None:
                axes.plot([target, target], [y - 0.38, y + 0.38], color="black", linewidth=1.5)
            axes.text(1.005, y, f"{middle:.2f}", transform=axes.get_yaxis_transform(), va="center", fontsize=9)
            if y and lines[y - 1][0] is not outcome:
                axes.axhline(y - 0.5, color="#dddddd", linewidth=0.8)
        axes.set_yticks(range(len(lines)), [f"{outcome.row.name}  ·  {peer}" for outcome, peer in lines], fontsize=9)
        axes.invert_yaxis()
        axes.margins(y=0.01)
        axes.set_xscale("log")
        ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5) if tick >= min(axes.get_xlim()[0], 1)]
        axes.set_xticks(ticks, [f"{tick:g}×" for tick in ticks])
        axes.minorticks_off()
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_title(f"{SUBJECT}'s cost beside its peers', left of 1× is cheaper", fontsize=11, loc="left")
        axes.set_xlabel(
            "dot: median ratio, line: quartiles, black mark: target (blue if met, orange if missed, grey without one)",
            fontsize=9,
        )
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    return True
