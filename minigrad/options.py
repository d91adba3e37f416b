"""What a class is made with, listed as a dataclass lists its fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature, get_annotations
from typing import Any, ClassVar, dataclass_transform


def made_with(options: Iterable[Parameter]) -> Callable[..., None]:
    """The `__init__` that takes these options and hands them on to `_set` by name."""
    own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    signature = Signature(sorted([own, *options], key=lambda option: option.kind))

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        try:
            bound = signature.bind(self, *args, **given)
        except TypeError as error:
            raise self._unfit(args, TypeError(f"{type(self).__name__}.__init__() {error}")) from None
        bound.apply_defaults()
        self._set(**{name: value for name, value in bound.arguments.items() if name != "self"})

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


@dataclass_transform()
class Listed:
    """Its classes list their options, and those below `_: KW_ONLY` are given by name:

    class StepLR(LRScheduler):
        step_size: int
        gamma: float = 0.1

    A class with an `__init__` of its own keeps it.
    """

    _options: ClassVar[dict[str, Parameter]] = {}

    def __init_subclass__(cls) -> None:
        cls._options, kind = {**cls._options}, Parameter.POSITIONAL_OR_KEYWORD
        listed = "__init__" not in vars(cls)
        own = get_annotations(cls) if cls.__module__.startswith(f"{__package__}.") else {}  # not a learner's
        for name, annotation in own.items():
            if annotation == "KW_ONLY":
                kind = Parameter.KEYWORD_ONLY
                continue
            default = vars(cls).get(name, Parameter.empty)
            cls._options[name] = Parameter(name, kind, default=default, annotation=annotation)
            if listed and name in vars(cls):
                delattr(cls, name)  # otherwise `optimizer.lr` were this, whatever it was made with
        if listed and own:
            cls.__init__ = made_with(cls._options.values())  # type: ignore[method-assign]

    def _unfit(self, args: tuple[Any, ...], error: Exception) -> Exception:
        return error
