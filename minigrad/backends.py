"""`minigrad.backends`, `minigrad.accelerator` and `minigrad.version`: what programs ask and set before they begin."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from .cuda import device_count, is_available
from .devices import device


def _no() -> bool:
    return False


#: Apple's GPUs, which minigrad cannot compute on.
mps = SimpleNamespace(is_available=_no, is_built=_no)

#: Switches of NVIDIA's library for networks, which minigrad does not use: they may be set, and change nothing.
cudnn = SimpleNamespace(
    enabled=True, benchmark=False, deterministic=False, is_available=_no, version=lambda: None, allow_tf32=True
)

sys.modules[f"{__name__}.cudnn"] = cudnn  # type: ignore[assignment]  # for `import minigrad.backends.cudnn as cudnn`

#: What the library was built for, which the first cell of many notes prints.
version = SimpleNamespace(cuda=None, hip=None)

#: `torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"`.
accelerator = SimpleNamespace(
    is_available=is_available,
    current_accelerator=lambda: device("cuda") if is_available() else None,
    device_count=device_count,
)
