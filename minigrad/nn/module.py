"""`Module`: a function with parameters, made of smaller ones.

An attribute that is a Parameter or a Module is remembered by its name; everything else here follows from walking these
names: `parameters()`, `state_dict()`, `train()`, the printed tree.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..autograd.grad_mode import no_grad
from ..autograd.hooks import RemovableHandle
from ..autograd.variable import TensorBase
from ..devices import tensor_type
from ..dtypes import dtype, float16, float32, float64
from ..functions.pointwise import is_tensor
from ..hints import hinted, is_pytorchs, unknown_name
from .hooks import called
from .parameter import Parameter, forget_gradients

#: Where a module remembers what: its name in the plural and as one, in PyTorch's words, and what is wanted there.
_KINDS = {
    "_parameters": ("parameters", "parameter", "torch.nn.Parameter"),
    "_buffers": ("buffers", "buffer", "torch.nn.Buffer, torch.Tensor"),
    "_modules": ("module", "child module", "torch.nn.Module"),
}


class Module:
    """Derive from it, make the parts in `__init__` after `super().__init__()`, and compute with them in `forward`.

    Attributes:
        training: what `train()` and `eval()` set; Dropout asks for it.
    """

    training: bool

    def __init__(self) -> None:
        for name, value in (
            ("training", True), ("_parameters", {}), ("_buffers", {}), ("_modules", {}), ("_not_saved", set()),
            ("_forward_pre_hooks", {}), ("_forward_hooks", {}), ("_backward_hooks", {}),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    def forward(self, *input: Any, **options: Any) -> Any:
        """What the module computes: to be written by the derived class."""
        raise hinted(NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function'))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._backward_hooks or self._forward_hooks or self._forward_pre_hooks:
            return called(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns, unless None, replaces the arguments."""
        return RemovableHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; what it returns, unless None, replaces the output."""
        return RemovableHandle(self._forward_hooks, hook)

    def register_full_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients have passed through the module.

        Both are tuples, with None for arguments and outputs that are no tensors. What it returns, unless None, replaces
        `grad_input`.
        """
        return RemovableHandle(self._backward_hooks, hook)

    # -- attributes --------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        own = vars(self)
        over = name in own.get("_parameters", ())  # which no module replaces
        is_part = isinstance(value, Module) and not over
        registry = "_parameters" if isinstance(value, Parameter) else "_modules" if is_part else None
        if registry is not None:
            if registry not in own:
                raise hinted(AttributeError(f"cannot assign {_KINDS[registry][0]} before Module.__init__() call"))
            for names in (own, *(own[each] for each in _KINDS if each != registry)):
                names.pop(name, None)  # the new one takes the place of the old
        else:
            registry = next((each for each in _KINDS if name in own.get(each, ())), None)
            if registry is None:
                object.__setattr__(self, name, value)
                return
            _check_value(registry, name, value)
        own[registry][name] = value

    def __getattr__(self, name: str) -> Any:
        for registry in _KINDS:
            if name in vars(self).get(registry, ()):
                return vars(self)[registry][name]
        is_ready = "_parameters" in vars(self)  # `__init__` has run
        error = unknown_name(f"'{type(self).__name__}' object", ".", name, dir(self) if is_ready else ())
        slip = any("__int__" in vars(each) and "__init__" not in vars(each) for each in type(self).__mro__)
        row = "[__int__]" if slip else "" if is_ready else "before Module.__init__() call"
        raise hinted(error, row) if row else error

    def __delattr__(self, name: str) -> None:
        for registry in _KINDS:
            if name in vars(self)[registry]:
                del vars(self)[registry][name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Remember a parameter under a name; None for one that could be there, such as a bias."""
        self._remember("_parameters", name, param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Remember a tensor that is saved with the parameters, unless not `persistent`, but not learned."""
        self._remember("_buffers", name, tensor)
        (self._not_saved.discard if persistent else self._not_saved.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Remember a module under a name."""
        if module is not None and not isinstance(module, Module):
            raise _no_module(module)
        self._remember("_modules", name, module)

    def _remember(self, registry: str, name: Any, value: Any) -> None:
        """Remember something under a new name. Raises PyTorch's errors for a name, or a value, that cannot be."""
        _check_value(registry, name, value)
        what = _KINDS[registry][1].split()[-1]
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type_told(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if not name:
            raise KeyError(f'{what} name can\'t be empty string ""')
        if name not in vars(self)[registry] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        vars(self)[registry][name] = value

    # -- walking the tree --------------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The parts of this module, with their names; not the parts of the parts."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The parts of this module."""
        return (module for _, module in self.named_children())

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all in it, with names such as "hidden.0"; each once, unless not `remove_duplicate`."""
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all modules in it, each once."""
        return (module for _, module in self.named_modules())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters, with names such as "hidden.0.weight"; each once, unless not `remove_duplicate`."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once: what an optimizer is given."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """All buffers, with their names; each once, unless not `remove_duplicate`."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Any]:
        """All buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(self, registry: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in getattr(module, registry).items():
                if value is not None and id(value) not in seen:
                    if once:
                        seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    # -- the whole tree at once --------------------------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], None]) -> Module:
        """Call `fn` with every module, the parts first. Returns the module itself."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Module:
        """Switch training behaviour on or off. Returns the module itself."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)  # which it may have overridden
        return self

    def eval(self) -> Module:
        """Switch training behaviour off. Returns the module itself."""
        return self.train(False)

    def get_submodule(self, target: str) -> Module:
        """The module with a name such as "hidden.0"."""
        module = self
        for name in target.split(".") if target else ():
            if name not in module._modules:
                raise _absent(module, name, "an nn.Module")
            module = module._modules[name]
        return module

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with a name such as "hidden.0.weight"."""
        return self._found("_parameters", target, "an nn.Parameter")

    def get_buffer(self, target: str) -> Any:
        """The buffer with a name such as "hidden.0.running_mean"."""
        return self._found("_buffers", target, "a buffer")

    def _found(self, registry: str, target: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in getattr(module, registry):
            raise _absent(module, name, what)
        return getattr(module, registry)[name]

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Ask for the gradients of all parameters, or stop asking. Returns the module itself."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters: set them to None, or to zero."""
        forget_gradients(self.parameters(), set_to_none)

    def to(self, *args: Any, **kwargs: Any) -> Module:
        """Bring all parameters and buffers to another place, those of floats to another type. Returns the module."""
        for wanted in (*args, *kwargs.values()):
            if isinstance(wanted, dtype) and not wanted.is_floating_point:
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
                )

        def brought(tensor: Any) -> Any:
            there = tensor.to(*args, **kwargs)
            return there if tensor.is_floating_point() else tensor.to(there.device)

        for parameter in self.parameters():
            parameter.data = brought(parameter.data)
            if parameter.grad is not None:
                parameter.grad = brought(parameter.grad.detach())
        for module in self.modules():
            module._buffers.update({n: brought(buffer) for n, buffer in module._buffers.items() if buffer is not None})
        return self

    def cuda(self, device: Any = None) -> Module:
        """All parameters and buffers on a GPU. Returns the module itself."""
        return self.to(device="cuda" if device is None else device)

    def cpu(self) -> Module:
        """All parameters and buffers on the CPU. Returns the module itself."""
        return self.to(device="cpu")

    def double(self) -> Module:
        """All parameters as float64."""
        return self.to(float64)

    def float(self) -> Module:
        """All parameters as float32."""
        return self.to(float32)

    def half(self) -> Module:
        """All parameters as float16."""
        return self.to(float16)

    # -- saving ------------------------------------------------------------------------------------------------------

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Any]:
        """All parameters and buffers by name, as tensors on the same memory outside the graph, or with `keep_vars` as
        they are. What is in several places is there under each of its names, behind `prefix`.
        """
        state: OrderedDict[str, Any] = OrderedDict()
        for path, module in self.named_modules(remove_duplicate=False):
            saved = [(name, buffer) for name, buffer in module._buffers.items() if name not in module._not_saved]
            for name, value in (*module._parameters.items(), *saved):
                if value is not None:
                    state[f"{prefix}{path}{'.' if path else ''}{name}"] = value if keep_vars else value.detach()
        return state

    @no_grad()
    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy what `state_dict()` returned into the parameters and buffers, or with `assign` put it in their place.

        Raises RuntimeError for a shape that differs; with `strict` also for names that are missing or unknown.
        """
        if not isinstance(state_dict, Mapping):
            raise hinted(TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}."))
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        errors = []
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        for name, value in own.items():
            if name not in state_dict:
                continue
            put = state_dict[name]
            if not is_tensor(put):
                errors.append(
                    f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from '
                    f"checkpoint but received {type(put)}"
                )
            elif put.shape != value.shape:
                errors.append(
                    f"size mismatch for {name}: copying a param with shape {put.shape} from checkpoint, "
                    f"the shape in current model is {value.shape}."
                )
            elif assign:
                path, _, own_name = name.rpartition(".")
                module = self.get_submodule(path)
                if own_name in module._parameters:
                    put = put if isinstance(put, Parameter) else Parameter(put, False)
                    put.requires_grad_(module._parameters[own_name].requires_grad)
                setattr(module, own_name, put)
            else:
                value.copy_(put)
        if errors:
            said = f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors)
            raise hinted(RuntimeError(said))
        return _IncompatibleKeys(missing, unexpected)

    # -- printing ----------------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What stands between the parentheses when the module is printed."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        parts = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        if not parts and len(extra) <= 1:
            return f"{type(self).__name__}({''.join(extra)})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(extra + parts) + "\n)"


class _IncompatibleKeys(namedtuple("_Keys", "missing_keys unexpected_keys")):
    """What `load_state_dict` returns: the names of this module without a value, and those that it does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        return super().__repr__() if any(self) else "<All keys matched successfully>"


def _absent(module: Module, name: str, what: str) -> Exception:
    """PyTorch's error for what a module does not have under a name."""
    there = hasattr(module, name)
    return AttributeError(f"`{name}` is not {what}" if there else f"{type(module).__name__} has no attribute `{name}`")


def _quoted(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _check_value(registry: str, name: str, value: Any) -> None:
    """Raise PyTorch's error for what cannot be a parameter, a buffer or a part."""
    kinds = {"_parameters": Parameter, "_buffers": TensorBase, "_modules": Module}
    if value is None or isinstance(value, kinds[registry]):
        return
    _, what, wanted = _KINDS[registry]
    raise hinted(TypeError(f"cannot assign '{type_told(value)}' as {what} '{name}' ({wanted} or None expected)"))


def type_told(value: Any) -> str:
    """How PyTorch's modules and optimizers name what they cannot take: a class or function itself, else its type."""
    if is_tensor(value):
        return tensor_type(value._value)
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{getattr(named, '__module__', 'builtins')}.{named.__qualname__}".removeprefix("builtins.")


def _no_module(value: Any) -> Exception:
    """PyTorch's error for a part of a module that is none."""
    error = TypeError(f"{type_told(value)} is not a Module subclass")
    if isinstance(value, type) and issubclass(value, Module):
        return hinted(error, "[a class among modules]", name=value.__name__)
    if isinstance(value, list | tuple):
        return hinted(error, "[modules in a list]")
    row = "[PyTorch's]" if is_pytorchs(value) else "[a function among modules]"
    return hinted(error, row) if callable(value) else error
