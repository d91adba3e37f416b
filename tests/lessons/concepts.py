"""What the course claims, each claim with where a learner does something about it: an exercise, or a prediction.

An exercise is named by its check, ``leaves.in_place``; a prediction by its name, ``predict typo``.
"""

CONCEPTS: dict[int, tuple[str, tuple[str, ...]]] = {
    1: (
        "How a tensor is made decides its dtype; Tensor with a capital letter always gives float32.",
        ("tensors_and_views.dtypes", "leaves.so_far"),
    ),
    2: (
        "Writing into a tracked leaf is refused; c += w makes an untracked c a result.",
        ("leaves.in_place", "functions.nine"),
    ),
    3: (
        "Only a tracked result refuses a change of its flag, and only a lowering.",
        ("leaves.flag_of_a_result", "predict flag-of-a-result", "functions.nine"),
    ),
    4: ("a = a * 3 makes a new tensor and moves the name; it writes nothing.", ("predict same-tensor",)),
    5: (
        "no_grad and detach both stop recording: one for a block, one for a tensor.",
        ("recording.freeze", "recording.slips"),
    ),
    6: ("grad_fn is None for a leaf, and for every untracked result.", ("predict untracked-result", "graph.facts")),
    7: (
        "backward(v) wants a v of exactly the output's shape; one element may do without.",
        ("jacobians.refused", "functions.nine"),
    ),
    8: ("Doubling until the norm passes 1000 multiplies the gradient each time.", ("predict doubled",)),
    9: (
        "A Function has forward, backward and apply; its node has no digit; at a kink its author chooses.",
        ("functions.cube", "functions.at_zero", "predict kink"),
    ),
    10: (
        "A weight is updated in place under no_grad, and its gradient cleared.",
        ("updating.repair", "updating.fit", "updating.two_faults"),
    ),
    11: ("autograd is the engine; a network's weights are leaves like any other.", ("graph.facts",)),
    12: ("A misspelt flag makes a new attribute, and nothing is tracked.", ("first_gradient.typo", "leaves.so_far")),
    13: (
        "detach returns a new tensor on the same storage; the original stays tracked.",
        ("recording.detached", "versions.works", "predict detached"),
    ),
    14: ("no_grad stops recording, not backward.", ("recording.bug", "predict backward-inside", "updating.two_faults")),
    15: ("The class is torch.autograd.Function, and a built-in node is no instance of it.", ("graph.facts",)),
    16: ("The graph has no cycle.", ("graph.facts",)),
    17: ("Made by hand, then no grad_fn; the converse fails.", ("predict untracked-result", "graph.facts")),
    18: ("On a 2 by 2 of ones, the mean of 3 * (x + 2)**2 has 4.5 for every entry's gradient.", ("predict mean",)),
    19: ("The attribute is False from the start; the method's argument is True.", ("leaves.leaf_of",)),
    20: ("An untracked result may be tracked from now on.", ("leaves.leaf_of",)),
    21: ("A second backward through the same graph is refused.", ("leaves.slope_at",)),
    22: ("Under no_grad results are untracked; a detached twin has equal numbers.", ("predict no-grad",)),
    23: ("The graph follows what is computed; the flag may be set by assignment, before that.", ("leaves.slope_at",)),
    24: ("Computing with w.grad builds a graph where the other factor is tracked.", ("predict grad-times-w",)),
    25: ("A gradient is a tensor that may be put there, of its leaf's shape.", ("hooks.steer", "functions.nine")),
    26: (
        "item() takes one number out of a tensor of one element.",
        ("tensors_and_views.item", "tensors_and_views.columns", "leaves.slope_at", "functions.nine"),
    ),
    27: ("backward adds, and to leaves only.", ("predict between",)),
    28: ("The slope of the loss at w = 1 is -40.", ("first_gradient.slope", "predict slope")),
    29: ("w.data = … keeps the leaf, and nobody sees the write.", ("updating.twice",)),
    30: ("w = w - … loses the leaf, or grows a chain.", ("updating.twice", "updating.repair")),
    31: ("SubBackward0 is no count of subtractions.", ("graph.facts",)),
    32: ("zero_() needs a gradient that is there.", ("accumulate.none_or_zero", "predict after-rebinding")),
    33: (
        "A leaf has no grad_fn: made by hand, or computed from what nobody tracks.",
        ("leaves.leaves", "leaves.leaf_of", "predict computed-leaf"),
    ),
    34: ("A node prints in a short form in the notebook, in a long one elsewhere.", ("graph.facts",)),
    35: (
        "next_functions holds a pair for each input: the node and which of its outputs; (None, 0) where nothing goes.",
        ("graph.walk", "graph.build", "predict untracked-input", "functions.reached"),
    ),
    36: ("The digit of a node's name tells variants of an operation apart.", ("graph.names", "predict digits")),
    37: (
        "A leaf's grad_fn is None; its AccumulateGrad holds it as variable.",
        ("graph.walk", "predict leaf", "functions.reached"),
    ),
    38: (
        "Gradients add up until somebody clears them.",
        ("accumulate.sequence", "accumulate.train", "predict three-then", "updating.so_far"),
    ),
    39: (
        "Nodes let go of what they saved, unless retain_graph; who saves nothing runs twice.",
        ("saved.saves", "saved.twice", "saved.loop", "predict add-twice", "functions.nine"),
    ),
    40: (
        "Gradients in between are never stored unless asked for.",
        ("hooks.capture", "hooks.scale", "predict how-many-grads"),
    ),
    41: (
        "A trailing underscore writes in place; a counter of versions sees it.",
        ("versions.works", "versions.count", "versions.repair", "predict add-one", "functions.nine"),
    ),
    42: (
        "A view shares the storage and needs strides that fit.",
        ("tensors_and_views.shares", "tensors_and_views.columns", "functions.nine"),
    ),
    43: ("Without parentheses item is a method.", ("tensors_and_views.item", "predict no-parentheses")),
    44: (
        "A change of dtype is recorded; where nothing changes, to returns the tensor itself.",
        ("leaves.so_far",),
    ),
    45: ("The graph is what has run, made anew each time.", ("leaves.history", "predict define-by-run")),
    46: ("x = x**2 loses the leaf.", ("predict grad-of-x", "leaves.so_far")),
    47: ("A full-width colon is a syntax error; no_grad wants its parentheses.", ("recording.slips",)),
    48: ("The Jacobian holds how each output changes with each input.", ("jacobians.row",)),
    49: (
        "backward gives the Jacobian's transpose times v: how l changes with x.",
        ("jacobians.row", "jacobians.weights", "jacobians.formula", "updating.so_far"),
    ),
    50: ("A mean of four is a v of quarters.", ("predict quarter",)),
    51: ("Not only a scalar can be differentiated.", ("jacobians.weights", "predict no-scalar", "functions.nine")),
    52: (r"\partial is TeX, \part is not.", ("jacobians.formula",)),
    53: (
        "A node runs when all that it is owed has arrived: a topological order.",
        ("backward.order", "backward.doublings", "predict every-path"),
    ),
    54: ("Where a value is used twice, the parts add up.", ("backward.paths", "predict diamond", "updating.so_far")),
    55: (
        "What broadcasting copied, backward adds up.",
        ("jacobians.broadcast", "predict broadcast", "updating.so_far"),
    ),
    56: ("gradcheck compares with the difference quotient.", ("functions.culprit",)),
    57: ("A gradient with a graph can be differentiated again.", ("hooks.second", "predict second")),
}

#: The errors, by words of their first lines, and the exercise that causes, names or mends them.
ERRORS: dict[str, tuple[str, ...]] = {
    "a leaf Variable": ("leaves.in_place", "functions.nine"),
    "you can only change": ("leaves.flag_of_a_result", "functions.nine"),
    "Mismatch in shape": ("jacobians.refused", "functions.nine"),
    "one of the variables": ("versions.works", "versions.repair", "functions.nine"),
    "Trying to backward": ("saved.twice", "saved.loop", "functions.nine"),
    "attempting to assign": ("hooks.steer", "functions.nine"),
    "cannot be converted": ("tensors_and_views.columns", "functions.nine"),
    "view size": ("tensors_and_views.columns", "functions.nine"),
    "grad can be implicitly": ("functions.nine",),
}
