"""The one frame of the panel's that is there while a backward pass of the learner's runs.

The file has this name for the sake of `warnings`: where a library asks it to tell a warning of the caller's line, it
does not count the frames of files with "importlib" and "_bootstrap" in their names, which are the import system's. So
what a pass warns of is told of the learner's line, as without the panel.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

Ends = Callable[[BaseException | None, FrameType], None]


def run_between(begins: Callable[..., Ends | None], call: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls `function`, after `begins`, and before what that gives, if anything."""
    __tracebackhide__ = __debuggerskip__ = True  # `ipdb` steps past this, and into what is called
    ends = begins(call, function, args, kwargs)
    __debuggerskip__ = False
    if ends is None:
        return function(*args, **kwargs)
    try:
        result = function(*args, **kwargs)
    except BaseException as error:
        __debuggerskip__ = True
        ends(error, sys._getframe(1))
        at = error.__traceback__  # the learner reads no line of ours: a bare `raise` does not add this one again
        BaseException.with_traceback(error, at and at.tb_next)
        raise
    __debuggerskip__ = True
    ends(None, sys._getframe(1))
    return result
