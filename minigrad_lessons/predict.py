"""Predict, then see: ``predict("slope", -3)`` locks what the learner expects, ``reveal("slope", w.grad)`` answers.

`reveal` shows the truth beside the prediction and counts it in the progress file. ``with reveal("twice"):`` tells
whether the lines below it run or raise: "runs" or "raises". A prediction that nobody has made stays `...`: nothing is
counted, and the truth stands alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

from minigrad_lessons import progress
from minigrad_lessons.checks.exercise import choose, close, plain, show
from minigrad_lessons.language import Says, speak

OUTCOMES = ("runs", "raises")
READABLE = Says(
    "A prediction is a number or a list of numbers, True, False or None.",
    "预测要写成一个数、一个列表（元素都是数）、True、False 或 None。",
)

_locked: dict[str, Any] = {}  # what was predicted in this kernel, by name
_shown: set[str] = set()  # what has been revealed since it started


def predict(name: str, answer: Any, *more: Any, options: Sequence[Any] = ()) -> None:
    """Lock the prediction called `name`: one of the `options`; without them a number or a list of numbers, True, False
    or None. A list may come without its brackets. Never raises.
    """
    answer = [answer, *more] if more else answer
    if name in _shown:
        said, said_zh = "nothing was predicted", "没有作预测"
        if name in _locked:
            said, said_zh = f"your prediction stays {_text(_locked[name])}", f"你的预测仍是 {_text(_locked[name])}"
        speak(
            "🔒",
            Says(
                f"The answer has been shown; {said}. To predict again, restart the kernel.",
                f"答案已经揭晓，{said_zh}。想重新预测，请先重启内核。",
            ),
        )
    elif name in _locked:
        said = _text(_locked[name])
        speak("🔒", Says(f"Locked already: {said}. Run the next cell.", f"已经锁定：{said}。请运行下一个单元格。"))
    elif answer is ...:
        speak("⬜", Says("No prediction made. Put yours in place of `...`.", "没有作预测。把 `...` 换成你的答案。"))
    elif options and not any(_same(answer := choose(answer, options), option) for option in options):
        listed = [repr(option) for option in options]
        speak("❌", Says(f"Choose one of {', '.join(listed)}.", f"请从这几个里选一个：{'、'.join(listed)}。"))
    elif not options and not _readable(answer):
        speak(
            "❌",
            Says(f"You gave {show(answer)}. {READABLE.en}", f"你给出的是 {show(answer)}。{READABLE.zh}"),
        )
    else:
        _locked[name] = answer
        said = _text(answer)
        speak("🔒", Says(f"Locked: {said}. Now run the next cell.", f"已锁定：{said}。请运行下一个单元格。"))


def reveal(name: str, *truth: Any) -> Outcome | None:
    """Show the `truth` beside what was predicted; without one, in ``with reveal(name):``, whether its lines raise."""
    if not truth:
        return Outcome(name)
    again = name in _shown  # a cell that runs twice is no second attempt
    _shown.add(name)
    found = _text(truth[0])
    if name not in _locked:
        print("→", found)
        return None
    said, holds = _text(_locked[name]), _same(_locked[name], truth[0])
    if not again:
        progress.predicted(name, said, holds)
    speak("✅" if holds else "🔎", Says(f"You said: {said}. Answer: {found}.", f"你的预测：{said}。结果：{found}。"))
    return None


class Outcome:
    """The lines of a ``with``: did they run, or raise? An error goes on as it came, with no frame of ours in it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        reveal(self.name, OUTCOMES[kind is not None])


def forget() -> None:
    """Start over, as a new kernel does."""
    _locked.clear()
    _shown.clear()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else show(value)


def _plain(value: Any) -> Any:
    """A tensor as Python numbers; one number in brackets as that number."""
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return _plain(value[0]) if len(value) == 1 else [_plain(part) for part in value]
    return value


def _readable(answer: Any) -> bool:
    try:
        parts = [_plain(answer)]
    except Exception:  # a learner may give anything at all
        return False
    for part in parts:  # which grows meanwhile
        parts += part if isinstance(part, list) else ()
    return all(part is None or isinstance(part, (Real, list)) for part in parts)


def _same(said: Any, truth: Any) -> bool:
    """Whether a prediction holds, but for rounding. True is not 1."""
    try:
        return _equal(_plain(said), _plain(truth))
    except Exception:  # as _readable: also a number that no float can hold
        return False


def _equal(said: Any, truth: Any) -> bool:
    if isinstance(said, list) and isinstance(truth, list):
        return len(said) == len(truth) and all(map(_equal, said, truth))
    if type(said) is type(truth) is int:  # a count
        return said == truth
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in (said, truth)):
        return close(said, truth, 1e-3)
    return type(said) is type(truth) and said == truth
