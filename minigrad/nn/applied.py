"""A function of `functional` as a module, which is no more than the function and the options it is called with."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter as Option
from inspect import Signature, get_annotations
from typing import Any, ClassVar, dataclass_transform

from ..autograd.variable import TensorBase
from ..hints import with_hint
from .module import Module


@dataclass_transform()
class Applied(Module):
    """Lists the options of a function, as a dataclass lists its fields; each module has them as attributes.

        class ELU(Applied, of=functional.elu):
            alpha: float = 1.0
            inplace: bool = False

    gives `nn.ELU(0.5)`, whose `forward(input)` is `functional.elu(input, alpha=0.5, inplace=False)`.
    """

    function: ClassVar[Callable[..., Any]]
    _options: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, of: Callable[..., Any] | None = None) -> None:
        if of is None:  # what several have in common, or a class of the user's
            return
        options: dict[str, Option] = {}
        for base in reversed(cls.__mro__[: cls.__mro__.index(Applied)]):
            kind: Any = Option.POSITIONAL_OR_KEYWORD
            for name, annotation in get_annotations(base).items():
                if annotation == "KW_ONLY":  # as in a dataclass: the options below it are given by name
                    kind = Option.KEYWORD_ONLY
                    continue
                default = getattr(cls, name, Option.empty)
                options[name] = Option(name, kind, default=default, annotation=annotation)
                if name in vars(cls):
                    delattr(cls, name)  # each module has its own
        cls.function, cls.__doc__, cls._options = staticmethod(of), of.__doc__, tuple(options)
        cls.__init__ = _init(sorted(options.values(), key=lambda option: option.kind))  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        """What is left to do when the options are set."""

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """The function of the inputs, with the options of this module."""
        return type(self).function(*inputs, **named, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self) -> str:
        """The options; `inplace` only if it is so."""
        shown = [f"{name}={getattr(self, name)!r}" for name in self._options if name != "inplace"]
        return ", ".join([*shown, "inplace=True"] if getattr(self, "inplace", False) else shown)


def _init(options: list[Option]) -> Callable[..., None]:
    """The `__init__` that takes these options."""
    signature = Signature(options)

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        Module.__init__(self)
        try:
            bound = signature.bind(*args, **given)
        except TypeError as error:
            raise _unfit(type(self).__name__, args, error) from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if signature.parameters[name].annotation == "Tensor | None":
                self.register_buffer(name, value)  # it goes where the module goes
            else:
                setattr(self, name, value)
        self.__post_init__()

    own = Option("self", Option.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = Signature([own, *options])  # type: ignore[attr-defined]
    return __init__


def _unfit(name: str, args: tuple[Any, ...], error: TypeError) -> Exception:
    """The error for options that are none. Of tensors PyTorch asks whether they are true: it takes them for flags."""
    if not any(isinstance(arg, TensorBase) for arg in args):
        return TypeError(f"{name}.__init__() {error}")
    return with_hint(
        RuntimeError("Boolean value of Tensor with more than one value is ambiguous"),
        f"A module is made first, and then called: {name}()(input, …).",
        f"要先创建模块，再调用它：{name}()(input, …)。",
    )
