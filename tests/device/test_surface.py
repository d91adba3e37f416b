"""What a user sees of devices: names, printed text, messages, random numbers."""

import copy
import io
import pickle

import pytest

import minigrad as torch
from minigrad import devices
from tests.device import machine


@pytest.fixture
def gpu():
    with machine.gpu(default=False, one_generator=False):
        yield


no_gpu = pytest.mark.skipif(machine.is_real(), reason="there is a GPU")

# ---------------------------------------------------------------------------------------------------------------------
# Without a GPU: what PyTorch's CPU build says

WITHOUT = [
    "torch.ones(2).cuda()",
    "torch.ones(2).to('cuda')",
    "torch.ones(2).to('cuda', torch.float64)",
    "torch.ones(2).to(0)",
    "torch.ones(2).cuda('cpu')",
    "torch.ones(2, device='cuda:1')",
    "torch.ones(2, device=0)",
    "torch.ones(1, device='gpu')",
    "torch.tensor(1, device='cuda')",
    "torch.as_tensor([1], device='cuda')",
    "torch.full((2,), 1, device='cuda')",
    "torch.arange(3, device='cuda')",
    "torch.linspace(0, 1, 3, device='cuda')",
    "torch.eye(3, device='cuda')",
    "torch.empty(3, device='cuda')",
    "torch.rand(3, device='cuda')",
    "torch.randperm(3, device='cuda')",
    "torch.randint(3, (2,), device='cuda')",
    "torch.normal(0., 1., (2,), device='cuda')",
    "torch.ones_like(torch.ones(2), device='cuda')",
    "torch.rand_like(torch.ones(2), device='cuda')",
    "torch.ones(2).new_zeros(2, device='cuda')",
    "torch.nn.Linear(1, 1).cuda()",
    "torch.nn.Linear(1, 1).to('cuda')",
    "torch.nn.Linear(1, 1, device='cuda')",
    "torch.device('cuda:01')",
    "torch.device('')",
    "torch.device('gpu')",
    "torch.device('cuda', 1)",
    "torch.device('cuda') == torch.device('cuda:0')",
    "torch.ones(2).to('cpu:0').device",
    "torch.ones(2).is_cpu, torch.ones(2).is_cuda",
    "torch.get_default_device()",
    "torch.Generator().device",
    "torch.cuda.is_available(), torch.cuda.device_count()",
    "torch.cuda.get_device_name()",
    "torch.cuda.synchronize()",
    "torch.cuda.manual_seed(0), torch.cuda.manual_seed_all(0)",
]


def said(library, expression: str) -> str:
    try:
        return repr(eval(expression, {"torch": library}))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@no_gpu
@pytest.mark.parametrize("expression", WITHOUT)
def test_without_a_gpu_as_pytorch_without_cuda(expression: str) -> None:
    reference = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    if reference.version.cuda is not None:
        pytest.skip("a CUDA build of PyTorch, which says other things")
    assert said(torch, expression) == said(reference, expression)


@no_gpu
def test_without_cupy_the_hint_says_how_to_get_it() -> None:
    with pytest.raises(AssertionError) as caught:
        torch.ones(2).cuda()
    assert str(caught.value) == "Torch not compiled with CUDA enabled"
    assert 'pip install "minigrad-lessons[gpu]"' in caught.value.__notes__[0]


@no_gpu
def test_with_cupy_and_no_gpu(gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    import cupy

    monkeypatch.setattr(devices, "_found", None)

    def no_driver() -> int:
        raise cupy.cuda.runtime.CUDARuntimeError("cudaErrorInsufficientDriver")

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", no_driver)
    assert not torch.cuda.is_available()
    with pytest.raises(RuntimeError, match="^Found no NVIDIA driver on your system.") as caught:
        torch.ones(2).cuda()
    assert "torch.cuda.is_available()" in caught.value.__notes__[0]
    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", lambda: 0)
    with pytest.raises(RuntimeError, match="^No CUDA GPUs are available$"):
        torch.ones(2).cuda()


# ---------------------------------------------------------------------------------------------------------------------
# With one

# What PyTorch's CUDA build answers, from its sources (TensorIterator.cpp, adaption.cpp, TensorAdvancedIndexing.cpp) and
# from what users of it report; a CPU build cannot be asked.
SAME = "Expected all tensors to be on the same device, but "
MIXED = {
    "g + c": SAME + "found at least two devices, cuda:0 and cpu!",
    "c + g": SAME + "found at least two devices, cuda:0 and cpu!",
    "c < g": SAME + "found at least two devices, cuda:0 and cpu!",
    "torch.where(g > 0, g, c)": SAME + "found at least two devices, cuda:0 and cpu!",
    "torch.lerp(g, c, 0.5)": SAME + "found at least two devices, cuda:0 and cpu!",
    "torch.maximum(g, c)": SAME + "found at least two devices, cuda:0 and cpu!",
    "g.detach().add_(c)": SAME + "found at least two devices, cuda:0 and cpu!",
    "c.add_(g.detach())": SAME + "found at least two devices, cuda:0 and cpu!",
    "torch.nn.functional.mse_loss(g, c)": SAME + "found at least two devices, cuda:0 and cpu!",
    "g @ c.t()": SAME + "got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method "
    "wrapper_CUDA_mm)",
    "c @ g.t()": SAME + "got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method "
    "wrapper_CUDA_mm)",
    "torch.nn.Linear(2, 1, device='cuda')(c)": SAME + "got mat1 is on cpu, different from other tensors on cuda:0 "
    "(when checking argument in method wrapper_CUDA_addmm)",
    "torch.cat([g, c])": SAME + "got tensors is on cpu, different from other tensors on cuda:0 (when checking argument "
    "in method wrapper_CUDA_cat)",
    "c[torch.tensor([0], device='cuda')]": "indices should be either on cpu or on the same device as the indexed "
    "tensor (cpu)",
    "g.detach().numpy()": "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
    "host memory first.",
    "torch.rand(2, device='cuda', generator=torch.Generator())": "Expected a 'cuda' device type for generator but "
    "found 'cpu'",
    "torch.rand(2, generator=torch.Generator('cuda'))": "Expected a 'cpu' device type for generator but found 'cuda'",
    "torch.ones(2, device='cuda:99')": "CUDA error: invalid device ordinal",
}


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("expression", MIXED)
def test_messages_for_two_devices(expression: str) -> None:
    names = {"torch": torch, "c": torch.ones(2, 2), "g": torch.ones(2, 2, device="cuda", requires_grad=True)}
    with pytest.raises((RuntimeError, TypeError)) as caught:
        eval(expression, names)
    assert str(caught.value) == MIXED[expression]


@pytest.mark.usefixtures("gpu")
def test_a_cpu_tensor_without_dimensions_may_stand_beside_a_gpu_s() -> None:
    x = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    for make in (lambda s: s, lambda s: s.clone().mul_(1), lambda s: s.view(())):
        s = torch.tensor(3.0, requires_grad=True)
        x.grad = None
        for z in (x * make(s), make(s) * x, torch.where(x > 1, x, make(s))):
            assert z.device == torch.device("cuda:0")
            z.sum().backward()
        assert (s.grad.device.type, x.grad.device.type) == ("cpu", "cuda")
        assert s.grad.item() == 1 + 2 + 1 + 2 + 1
    z = x * s
    assert [type(node).__name__ for node, _ in z.grad_fn.next_functions] == ["AccumulateGrad", "AccumulateGrad"]
    (g,) = torch.autograd.grad((x * s).sum() * s, s, create_graph=True)
    (g2,) = torch.autograd.grad(g, s)
    assert (g.item(), g2.item(), g2.device.type) == (18, 6, "cpu")
    x.detach().fill_(torch.tensor(5.0))
    assert x.tolist() == [5, 5]


@pytest.mark.usefixtures("gpu")
def test_a_graph_over_two_devices() -> None:
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    y = (w * 2).to("cuda")
    assert y.grad_fn.name() == "ToCopyBackward0"
    z = (y * y).cpu().sum()
    z.backward()
    assert w.grad.tolist() == [16, 24]
    assert w.grad.device.type == "cpu"
    target = torch.zeros(2, device="cuda")
    v = torch.ones(2, requires_grad=True)
    target[...] = v  # writing copies from another device
    target.copy_(target * 3)
    target.sum().backward()
    assert v.grad.tolist() == [3, 3]
    assert v.grad.device.type == "cpu"


@pytest.mark.usefixtures("gpu")
def test_every_way_to_a_device() -> None:
    x = torch.ones(2)
    g = x.to("cuda")
    assert repr(g) == "tensor([1., 1.], device='cuda:0')"
    assert (g.is_cuda, g.is_cpu, str(g.device)) == (True, False, "cuda:0")
    for other in (x.cuda(), x.cuda(0), x.to(0), x.to(torch.device("cuda")), x.to(g), torch.as_tensor(x, device="cuda")):
        assert other.device == g.device
    assert g.to("cuda") is g
    assert g.to("cuda", torch.float64).dtype == torch.float64
    assert g.cpu().device.type == "cpu"
    assert g.type() == "torch.cuda.FloatTensor"
    makers = ["zeros", "ones", "empty", "rand", "randn"]
    made = [getattr(torch, name)(2, 3, device="cuda") for name in makers]
    made += [torch.full((2,), 7, device="cuda"), torch.eye(2, device="cuda"), torch.arange(3, device="cuda")]
    made += [torch.linspace(0, 1, 5, device="cuda"), torch.randint(5, (3,), device="cuda")]
    made += [
        torch.randperm(4, device="cuda"),
        torch.tensor([1], device="cuda"),
        torch.normal(0.0, 1.0, (2,), device="cuda"),
    ]
    made += [getattr(torch, f"{name}_like")(g) for name in makers]
    made += [torch.full_like(g, 2)]
    made += [g.new_zeros(2), g.new_ones(2), g.new_empty(2), g.new_full((2,), 3), g.new_tensor([1])]
    made += [g.clone().uniform_(), g.clone().normal_()]
    assert [t.device.type for t in made] == ["cuda"] * len(made)
    assert torch.zeros_like(g, device="cpu").device.type == "cpu"


@pytest.mark.usefixtures("gpu")
def test_the_default_device() -> None:
    torch.set_default_device("cuda")
    assert torch.get_default_device() == torch.device("cuda:0")
    assert torch.ones(1).is_cuda
    assert torch.nn.Linear(2, 2).weight.is_cuda
    assert not torch.from_numpy(torch.ones(1, device="cpu").numpy()).is_cuda
    torch.set_default_device(None)
    assert not torch.ones(1).is_cuda
    assert torch.get_default_device() == torch.device("cpu")


@pytest.mark.usefixtures("gpu")
def test_the_notes_cuda_block() -> None:
    """Block 44: one tensor made on the GPU, one brought there, their sum brought back as another type."""
    x = torch.tensor([[0.3507]])
    device = torch.device("cuda")
    y = torch.ones_like(x, device=device)
    x = x.to(device)
    z = x + y
    assert repr(z) == "tensor([[1.3507]], device='cuda:0')"
    assert repr(z.to("cpu", torch.double)).replace("minigrad", "torch") == "tensor([[1.3507]], dtype=torch.float64)"


@pytest.mark.usefixtures("gpu")
def test_functions_that_numpy_lacks_keep_the_type() -> None:
    for kind in (torch.float16, torch.float32, torch.float64):
        x = torch.tensor([0.25, 0.5], dtype=kind)
        result = torch.erf(x.cuda())
        assert result.dtype == kind
        assert result.tolist() == pytest.approx(torch.erf(x).tolist(), rel=1e-3 if kind == torch.float16 else 1e-5)


@pytest.mark.usefixtures("gpu")
def test_models_copies_and_files() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    model.register_buffer("seen", torch.zeros(2))
    model(torch.ones(3, 2)).sum().backward()
    assert all(p.is_cuda and p.grad.is_cuda for p in model.cuda().parameters())
    assert all(b.is_cuda for b in model.buffers())
    weight = model[0].weight
    assert pickle.loads(pickle.dumps(weight)).is_cuda
    assert copy.deepcopy(model)[0].weight.is_cuda
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    loaded = torch.load(io.BytesIO(file.getvalue()))
    assert loaded["0.weight"].is_cuda
    assert not torch.load(io.BytesIO(file.getvalue()), map_location="cpu")["0.weight"].is_cuda
    assert not any(p.is_cuda for p in model.cpu().parameters())


@pytest.mark.usefixtures("gpu")
def test_a_seed_gives_the_same_numbers_on_the_gpu_as_on_the_cpu() -> None:
    def draws(device: str) -> list:
        drawn = [
            torch.rand(5, device=device),
            torch.randn(30, dtype=torch.float64, device=device),
            torch.randn(2, dtype=torch.float16, device=device),
            torch.randint(-3, 9, (20,), device=device),
            torch.randperm(9, device=device),
            torch.empty(3, 2, device=device).t().uniform_(2, 3),
            torch.ones(4, device=device).multinomial(3, replacement=True),
            torch.nn.functional.dropout(torch.ones(30, device=device)),
        ]
        assert {each.device.type for each in drawn} == {device}
        return [each.tolist() for each in drawn]

    torch.manual_seed(5)
    first = draws("cuda")
    assert draws("cuda") != first
    assert draws("cpu") == first
    torch.cuda.manual_seed(5)
    rand = torch.rand(5, device="cuda").tolist()
    assert rand == first[0]
    state = torch.random.cuda_generator.get_state()
    assert state.device.type == "cpu"
    following = torch.rand(3, device="cuda").tolist()
    torch.random.cuda_generator.set_state(state)
    assert torch.rand(3, device="cuda").tolist() == following
    own = torch.Generator(device="cuda").manual_seed(5)
    assert own.device == torch.device("cuda")
    assert torch.rand(5, device="cuda", generator=own).tolist() == rand


@pytest.mark.usefixtures("gpu")
def test_a_checkpoint_drops_the_same_numbers_when_it_is_computed_again() -> None:
    x = torch.ones(100, device="cuda", requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(torch.nn.functional.dropout, x, use_reentrant=False)
    state = torch.random.cuda_generator.get_state()
    y.sum().backward()
    assert torch.equal(x.grad, y), "where a number was dropped, no gradient comes back"
    assert torch.equal(torch.random.cuda_generator.get_state(), state), "the program's next numbers are what they were"


@pytest.mark.usefixtures("gpu")
def test_questions_to_the_gpu() -> None:
    cuda = torch.cuda
    assert cuda.is_available()
    assert cuda.device_count() >= 1
    assert isinstance(cuda.get_device_name(), str)
    cuda.synchronize(0)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        cuda.get_device_name("cpu")


@pytest.mark.usefixtures("gpu")
def test_zeros_for_an_unused_output_lie_where_the_outputs_do() -> None:
    given = []

    class Several(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return None, x * 2, x * 3

        @staticmethod
        def backward(ctx, nothing, first, second):
            given.append((nothing, first.device, second.device))
            return first + second

    x = torch.ones(2, device="cuda", requires_grad=True)
    Several.apply(x)[2].sum().backward()
    assert given == [(None, x.device, x.device)]
    assert x.grad.device == x.device
