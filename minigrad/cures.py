"""What helps: for words of an error's message, a hint in English and in Chinese. Loaded when something has failed.

A row begins with a # and the words that call for it, or one of several with bars between; the first that fits is taken.
Where the message does not tell what helps, the code that raises it names a row: its words stand in square brackets.
"""

_TABLE = """
# Weights only load failed
load(path, weights_only=False) reads a whole model, but runs the file's code: use it only for files that you trust. \
Better: save only model.state_dict().
load(path, weights_only=False) 可以读取整个模型，但会运行文件里的代码，只能用于可信的文件；\
更好的做法是只保存 model.state_dict()。
# is damaged, or was not written by minigrad.save
A file of torch.save is read by PyTorch's torch.load: there, save numpy arrays, or state_dict() as lists.
torch.save 的文件要用 PyTorch 的 torch.load 读取：请在那里另存为 numpy 数组，或把 state_dict() 存成列表。
# minigrad.load: a tensor of the file goes to
load(path, map_location="cpu") brings it to the CPU.
请写成 load(path, map_location="cpu")：张量会读到 CPU 上。
# [PyTorch's] | the real PyTorch's | received <class 'torch. | found <class 'torch. | one of the params is torch.
It comes from the real PyTorch: an import still says torch. (For data: torch.from_numpy(x.numpy()).)
这是真正的 PyTorch 的对象：还有一行导入写的是 torch。（数据可以用 torch.from_numpy(x.numpy()) 转换。）
# [minigrad's]
This is a minigrad tensor, but what receives it is the real PyTorch's: an import still says torch.
这是 minigrad 的张量，接收它的却是真正的 PyTorch：还有一行导入写的是 torch。
# does not require grad and does not have a grad_fn
Nothing it came from has requires_grad=True (misspelt?), or the way back is cut: by no_grad() (in it, write w -= …), \
detach(), .data, item(), torch.tensor(w), argmax(), ==, long(); for a second derivative: create_graph=True. Lesson 1.
参与计算的张量都没有设置 requires_grad=True（有没有拼错？），或者计算图在途中断开了：no_grad()（在里面要写 w -= …）、\
detach()、.data、item()、torch.tensor(w)、argmax()、==、long()；对梯度再求导，要先写 create_graph=True。参见第 1 课。
# One of the differentiated Tensors
Set requires_grad=True on it before you compute with it.
请在用它计算之前先设置 requires_grad=True。
# The differentiated Tensor at index
No path leads from the outputs to it: look for .data, detach(), a reassigned name; for a part x[0], ask for all of x.
从输出往回走不到这个张量：请检查 .data、detach()、重新赋值的变量名；如果是 x[0] 这样的一部分，请对整个 x 求导。
# grad can be implicitly created only for scalar
The output has the shape {shape}. Reduce it to one number first, for example by .sum() or .mean(), or say \
how much each element counts: y.backward(torch.ones_like(y)). Lesson 7.
输出的形状是 {shape}。请先把它化为一个数，例如 .sum() 或 .mean()；\
或者指明每个元素的权重：y.backward(torch.ones_like(y))。参见第 7 课。
# Mismatch in shape: grad_output | but expected shape compatible with
The gradient of a tensor has exactly its shape; it is not broadcast. Lesson 7.
梯度的形状必须与张量完全相同，这里不会广播。参见第 7 课。
# Trying to backward through the graph a second time
{node} has used and freed the values it saved. Compute the whole loss again before each backward(); detach what needs \
no gradient, as in a loop: h = h.detach(). Two losses: (a + b).backward(), or retain_graph=True in the first. Lesson 10.
{node} 保存的值已经用过并释放了。请在每次 backward() 之前从头重新计算 loss；不需要往回传梯度的张量要先断开，\
例如循环里上一轮传下来的：h = h.detach()。两个损失写 (a + b).backward()，或者第一次加 retain_graph=True。参见第 10 课。
# has been modified by an inplace operation
{node} saved this tensor, and something has overwritten it since (x += 1, x[0] = 1, x.add_(1), a write through \
detach() or a view). Write x = x + 1, or change a copy, x.clone(); collect what fills x[i] in a list, and stack() it. \
If it was an optimizer's step(), call every backward() before it; in a loop h = h.detach(), not retain_graph. Lesson 11.
{node} 保存了这个张量，之后它被原地修改了（例如 x += 1、x[0] = 1、x.add_(1)，或者通过 detach() 或视图写入）。请改写成 \
x = x + 1，或者先用 x.clone() 复制一份再改；逐个写入 x[i] 的，请先放进列表，再用 torch.stack(列表) 合成。如果是 \
optimizer.step() 更新了参数，请先做完所有的 backward()；循环里用 h = h.detach()，不要靠 retain_graph。参见第 11 课。
# has been detached in-place
{node} saved this tensor, and detach_() has taken it out of the graph since. Use detach(): it changes nothing. Lesson 8.
{node} 保存了这个张量，之后它被 detach_() 移出了计算图。请改用 detach()，它不改动原来的张量。参见第 8 课。
# A saved tensor pack hook is modifying its input
Compute a new tensor in the hook: return t * 2 instead of t.mul_(2).
请在钩子里算出一个新张量，例如写 return t * 2，而不是 t.mul_(2)。
# Inference tensors cannot be saved
This operation saves its inputs: make the tensor under no_grad(), not inference_mode(), or use its clone().
这个运算要为反向传播保存输入：请在 no_grad() 而不是 inference_mode() 里创建这个张量，或者改用它的 clone()。
# a view of a leaf Variable
This writes into x itself: set a parameter in torch.no_grad(); an x to fill needs no requires_grad; else use x.clone().
这会直接改写 x：改参数要在 torch.no_grad() 里；只存放结果的，创建时不要写 requires_grad=True；其他的先复制：x.clone()。
# a leaf Variable that requires grad
Update a parameter inside `with torch.no_grad():`, so it is not recorded; all else by x = x + 1. Lesson 9.
更新参数要写在 `with torch.no_grad():` 里面，更新本身就不会被记录；其他情形写 x = x + 1。参见第 9 课。
# of BackwardHookFunction is a view
A full backward hook hands the module a view of its input, which must not be overwritten: say inplace=False. Lesson 12.
调用 register_full_backward_hook 之后，模块拿到的输入是一个视图，不能原地改写：请设 inplace=False。参见第 12 课。
# marked as dirty
Return the tensor that you marked with ctx.mark_dirty(…).
用 ctx.mark_dirty(…) 标记过的张量，forward 必须返回它。
# modified inplace
A view shares the memory of its base. Write into a copy instead: view.clone(), or compute a new tensor. Lesson 11.
视图与原张量共用同一块内存。请改写它的副本（view.clone()），或者直接算出一个新张量。参见第 11 课。
# Legacy autograd function
Make forward and backward static methods and call YourFunction.apply(x). Lesson 13.
请把 forward 和 backward 写成静态方法，并用 YourFunction.apply(x) 调用。参见第 13 课。
# for your custom autograd.Function | for custom autograd.Function
Your Function lacks this static method, or spells its name otherwise: forward(ctx, x), backward(ctx, grad). Lesson 13.
自定义的 Function 缺少这个静态方法，或者名字拼错了：forward(ctx, x)、backward(ctx, grad)。参见第 13 课。
# incorrect number of gradients | returned a gradient different than None
backward returns a gradient for each argument of forward after ctx, in order; None for what is not a tensor. Lesson 13.
forward 除 ctx 外有几个参数，backward 就要按同样的顺序返回几个梯度；不是张量的参数返回 None。参见第 13 课。
# save_for_backward can only save
Keep what is not a tensor on ctx itself: ctx.n = n. Lesson 13.
不是张量的值直接存在 ctx 上：ctx.n = n。参见第 13 课。
# you can only change requires_grad flags
This tensor was computed from others; its flag follows from theirs. x.detach() is outside the graph. Lesson 4.
这个张量是由别的张量计算出来的，它的 requires_grad 由输入决定。x.detach() 返回一个不在计算图里的张量。参见第 4 课。
# ensors of floating point
Only numbers that can change a little have a gradient, and integers cannot: write 1.0 instead of 1, or x.float().
只有浮点数才有梯度（梯度是微小变化之比，整数没有微小变化）：请写 1.0 而不是 1，或者用 x.float()。
# doesn't require gradient | can't retain_grad
No gradient ever comes to this tensor: set requires_grad=True before you compute with it. Lesson 12.
这个张量不会收到梯度：请在用它计算之前先设置 requires_grad=True。参见第 12 课。
# assigned grad expected | attempting to assign a gradient
A gradient has the shape and the dtype of its tensor: x.grad = torch.zeros_like(x). To clear it: x.grad = None.
梯度的形状和 dtype 都与张量相同：x.grad = torch.zeros_like(x)。要清除梯度，请写 x.grad = None。
# support the deepcopy protocol
A result of a computation cannot be copied with its history. Its numbers can: x.detach().clone().
计算结果不能连同计算历史一起复制；只要数值的话，请写 x.detach().clone()。
# cannot be converted to Scalar
item() is for tensors with one element; use tolist() for more.
item() 只能用于只有一个元素的张量；元素多于一个时请用 tolist()。
# [numpy beside a tensor]
One of the two is a numpy array, and numpy records nothing. Make a tensor of it first: torch.tensor(array).
两者之中有一个是 numpy 数组，而 numpy 不会记录计算过程。请先把它转换成张量：torch.tensor(array)。
# Can't call numpy() on Tensor
numpy records nothing, so give it an untracked tensor on the same numbers: x.detach().numpy().
numpy 不会记录计算过程，请改用 detach() 返回的、未被追踪的张量：x.detach().numpy()。
# Boolean value of Tensor with more than one
`if x > 0:` on several elements: do you mean (x > 0).all() or (x > 0).any()?
`if x > 0:` 比较的是多个元素：应当写 (x > 0).all() 还是 (x > 0).any()？
# [one number]
float(), int() and the likes of math.exp() take one number: write torch.exp(x); x.tolist() gives all numbers.
float()、int() 和 math.exp() 这类函数只接受一个数：请改用 torch.exp(x)；要取出所有的数，请用 x.tolist()。
# must be Tensor, not NoneType | 'NoneType' object has no attribute 'size'
A function that ends without `return` gives None: perhaps a forward() of yours.
没有写 return 的函数返回 None：请检查自己写的 forward()。
# must be Tensor, not | no attribute 'size'
Make a tensor of it first: torch.tensor(…). A module gives one when it is made and called: net(x), nn.ReLU()(x).
请先把它转换成张量：torch.tensor(…)。如果是模块，要先创建、再调用，得到的才是张量：net(x)、nn.ReLU()(x)。
# 'int' object is not callable | no attribute 'detach' | can't assign a | expected np.ndarray | gradients can be either
Make a tensor of it first: torch.tensor(…).
请先把它转换成张量：torch.tensor(…)。
# must be tuple of Tensors, not
Put the tensors into a list: torch.{name}([a, b]).
请把张量放在一个列表里：torch.{name}([a, b])。
# argument 'require_grad'
It is spelt requires_grad, with an s.
应拼作 requires_grad（require 后面有 s）。
# got an unexpected keyword argument 'size_average' | loss() got an unexpected keyword argument 'reduce' | \
Loss.__init__() got an unexpected keyword argument 'reduce' | entropy() got an unexpected keyword argument 'reduce' | \
logits() got an unexpected keyword argument 'reduce'
Write reduction="sum" for size_average=False, reduction="none" for reduce=False. True is the default: leave it out.
size_average=False 改写成 reduction="sum"，reduce=False 改写成 reduction="none"；写的是 True 时删去即可。
# [no numbers] | Could not infer dtype of | invalid data type | too many dimensions 'str'
A tensor holds numbers: give each word one. A mixed array needs array.astype("float32"). None: is a `return` missing?
张量里只能放数：文字要先编号；类型混杂的数组先用 array.astype("float32")。None 往往来自没有写 return 的函数。
# minigrad has no complex tensors
Two real tensors, one for each part, do what a complex one does.
minigrad 没有复数张量：可以用两个实数张量分别表示实部和虚部。
# expected sequence of length | not a sequence | must be real number, not | object cannot be interpreted as an integer
In one row of a tensor there are either numbers, or rows of the same length: not both.
张量的同一行里要么全是数，要么全是等长的行，不能混用。
# only one element tensors | only integer tensors of a single element
In a list only numbers become a tensor. Tensors are joined by torch.stack([a, b]) or torch.cat([a, b]).
torch.tensor 的列表里只能放数；要把几个张量合在一起，请用 torch.stack([a, b]) 或 torch.cat([a, b])。
# new() received an invalid combination
Use torch.tensor(…), with a small t: it takes a list, dtype= and requires_grad=. torch.Tensor: a list or a size alone.
请用小写 t 的 torch.tensor(…)：它接受列表、dtype= 和 requires_grad=；torch.Tensor 只接受列表或形状。
# expected a tensor of type
To convert a tensor, write x.to(torch.{kind}).
要转换 dtype，请写 x.to(torch.{kind})。
# result type | mean(): could not infer output dtype
An integer tensor holds no fractions. Convert it first, a target too: x = x.float(); or make a new one: x = x + 0.5.
整数张量存不下小数：请先用 x = x.float() 转换（target 也一样），或者另外算出一个新张量：x = x + 0.5。
# invalid index of a 0-dim tensor | of a 0-d tensor | over a 0-d tensor | tensor has no dimensions
A tensor of no dimensions is a single number, such as a loss: loss.item() is that number.
零维张量只有一个数（例如 loss），不能再取下标：用 loss.item() 取出这个数。
# Dimension out of range
Dimensions are counted from 0, or from the end: -1 is the last. x.shape lists them.
维度从 0 数起；也可以从后往前数，-1 是最后一维。用 x.shape 查看有哪些维。
# is out of bounds for dimension
Elements are counted from 0, so the last is at the size minus 1; -1 is the last, too.
元素从 0 数起，最后一个的下标是这一维的大小减 1，也可以写 -1。
# stack expects each tensor to be equal size | Sizes of tensors must match except | cannot be concatenated
stack([a, b]) makes a new dimension, also of single numbers; cat([a, b], dim) lets shapes differ along dim alone.
stack([a, b]) 新增一维，形状必须相同，也可以是单个的数；cat([a, b], dim) 沿已有的一维拼接，只有这一维的大小可以不同。
# step must be greater than zero | stride in the given numpy array is negative
Tensors have no negative steps: x.flip(0) reverses one. Copy a reversed numpy array first: array[::-1].copy().
张量切片的步长不能是负数：要倒过来，请用 x.flip(0)；倒过来的 numpy 数组要先复制：array[::-1].copy()。
# slice indices must be integers | must be tuple of ints
Sizes, dimensions and the ends of a slice are whole numbers: x[: len(x) // 2]. A shape of one dimension is (3,).
各维的大小、维度的编号、切片的起点和终点都必须是整数：用 // 做整除，例如 x[: len(x) // 2]。一维的形状写成 (3,)。
# check_uniform_bounds | normal_kernel_cpu
This makes floating-point random numbers only. For whole ones: torch.randint(0, 10, (3,)).
这里只能产生浮点随机数；随机整数请用 torch.randint(0, 10, (3,))。
# not implemented for 'Long' | not implemented for 'Int' | not implemented for 'Bool' | only support floating point | \
Expected a floating | not implemented for 'Byte' | not implemented for 'Short' | not implemented for 'Char'
This takes floating-point numbers only: convert first, x.float().
这个运算只接受浮点数：请先用 x.float() 转换。
# is invalid for input of size | multiply up to the size of dim
The product of the sizes must be the number of elements; one of them may be -1, as in x.view(-1, 4). Lesson 2.
各维大小的乘积必须等于元素的个数；其中一维可以写 -1，由 PyTorch 推算，例如 x.view(-1, 4)。参见第 2 课。
# view size is not compatible
After .t(), permute() or a slice, the numbers are not in memory order; view() never copies: use x.reshape(…). Lesson 2.
经过 .t()、permute() 或切片之后，数不再按顺序存放，而 view() 从不复制：请用 x.reshape(…)。参见第 2 课。
# must match the size of tensor b
Compared from the right, the sizes in {a} and {b} must be equal, or one of them 1: unsqueeze(dim) puts in a 1.
从右往左逐维比较 {a} 和 {b}：两个大小必须相等，或者其中一个是 1；缺的那一维用 unsqueeze(dim) 补上。
# mat1 and mat2 shapes cannot be multiplied | size mismatch, got input
The columns of the first ({a[1]}) must be as many as the rows, or the numbers, of the second ({b[0]}); perhaps one \
needs .t(). In nn.Linear the second has in_features rows; x.flatten(1) makes a row of each image.
第一个矩阵的列数（{a[1]}）必须等于第二个矩阵的行数，或者向量的长度（{b[0]}）；也许其中一个需要 .t() 转置。\
在 nn.Linear 里，第二个矩阵的行数就是 in_features；图像要先用 x.flatten(1) 展平。
# 1D tensors expected
dot() takes two one-dimensional tensors, unlike np.dot; the product of matrices is a @ b.
dot() 只算两个一维张量的内积，和 np.dot 不同；矩阵乘法请写 a @ b。
# The expanded size of the tensor
Compared from the right, the sizes must be equal, or that of the tensor to be expanded is 1.
从右往左逐维比较：两个大小必须相等，或者被扩展的张量在这一维上的大小是 1。
# have the same dtype | vectors to have same dtype | mixed dtype (CPU) | expected scalar type | and bias type
Both need the same dtype: weights are float32, whole numbers int64, numpy's others float64. Convert these with \
float(): the data, x.float(), or weights set from numpy, layer.float(). After layer.double(), x.double().
两者的 dtype 必须相同：权重默认是 float32，整数是 int64，numpy 的浮点数是 float64。请把后两种转换成 float32：\
数据用 x.float()，用 numpy 设定的权重用 layer.float()。layer.double() 之后则用 x.double()。
# is not differentiable with respect to argument
Pass {name}.detach(): it is taken as a constant.
请传入 {name}.detach()：它在这里只能当作常数。
# derivative for
PyTorch has no formula for this derivative. If you need no gradient through it, compute it from x.detach().
PyTorch 没有这个导数的公式；如果不需要对它求导，请用 x.detach() 来算。
# written-to tensor
Elements that are written, or read, share their memory (expand() and views copy nothing): use x.clone().
要写的元素与别的元素共用同一块内存（expand() 和视图都不复制）：请先用 x.clone() 复制一份。
# numpy array that may only be read
Write into its clone(), which has memory of its own.
请先用 clone() 复制一份：副本有自己的内存，可以写入。
# functions with out=...
Leave out= away, or compute under torch.no_grad().
去掉 out=，或者放进 torch.no_grad() 里计算。
# has no attribute 'register_hooks'
Say it before the operation saves: with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook): …
要在运算保存张量之前指定：with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook): …
# has no attribute 'RNN | has no attribute 'LSTM | has no attribute 'GRU
Left out. A step of nn.RNN is h = torch.tanh(of_input(x) + of_state(h)), two nn.Linear; for LSTM and GRU use PyTorch.
没有收录。nn.RNN 的一步是 h = torch.tanh(of_input(x) + of_state(h))，这两层都是 nn.Linear；LSTM、GRU 请用 PyTorch。
# has no attribute 'Lazy
Left out. Give the input size, too: nn.Linear(in_features, 10), nn.Conv2d(in_channels, 6, 5), nn.BatchNorm2d(channels).
没有收录。请把输入的大小也写上：nn.Linear(in_features, 10)、nn.Conv2d(in_channels, 6, 5)、nn.BatchNorm2d(channels)。
# has no attribute 'RandomSampler | has no attribute 'SubsetRandomSampler
Left out. DataLoader(data, 32, shuffle=True) does the same; to take only some samples, give it Subset(data, numbers).
没有收录。作用相同的写法是 DataLoader(data, 32, shuffle=True)；只取一部分样本时，传给它 Subset(data, numbers)。
# has no attribute 'distributions | No module named 'minigrad.distributions
Left out. For Categorical(probs): action = torch.multinomial(probs, 1), log_prob = probs.log().gather(-1, action).
没有收录。Categorical(probs) 可以写成 action = torch.multinomial(probs, 1)，log_prob = probs.log().gather(-1, action)。
# has no attribute 'histogram'
Left out. numpy can count: np.histogram(x.detach().numpy(), bins=100, density=True).
没有收录。可以用 numpy 来数：np.histogram(x.detach().numpy(), bins=100, density=True)。
# [left out]
PyTorch has it; minigrad leaves it out on purpose: see docs/differences.md.
PyTorch 有这个名字，minigrad 有意没有收录：见 docs/differences.zh.md。
# 'generator' object has no attribute 'next'
Older notes write .next(): the next batch of a DataLoader is next(iterator).
较早的笔记里写的是 .next()，现在取 DataLoader 的下一批要写 next(iterator)。
# No module named 'minigrad.
Is its name spelt right? minigrad has what autograd needs. What only shows or stores numbers may still come from torch.
模块名的拼写对吗？minigrad 只收录学习 autograd 需要的部分；只用来显示或记录数值的工具仍可从 torch 导入。
# Size' object is not callable
x.shape has no parentheses; x.size() has.
x.shape 后面没有括号，x.size() 才有。
# [not made yet]
A module is made first, and then called: {name}()(input, …).
要先创建模块，再调用它：{name}()(input, …)。
# [target first]
The scores come first, then the target: loss(net(x), y).
要先写得分，后写 target：loss(net(x), y)。
# [argmax before the loss] | For 1D input, 1D target
The loss takes scores, (N, C) for N targets: argmax() has no gradient. (One score for each: use BCEWithLogitsLoss.)
请传入得分，形状 (N, C) 对应 N 个 target；argmax() 之后没有梯度。（二分类只输出一个得分时，请用 BCEWithLogitsLoss。）
# expected target dtype to be Long
The targets are class numbers: target.long(). Probabilities have the shape of the input.
target 是类别编号，请用 target.long()；如果是概率，形状必须与 input 相同。
# to match target batch_size
There is one target for each row of scores: (N, C) and (N). Compare scores.shape and target.shape.
每一行得分对应一个 target：形状是 (N, C) 和 (N)。请比较 scores.shape 和 target.shape。
# multi-target not supported
A target is one class number for each row of the input: target.squeeze(1), or target.argmax(1).
每一行输入只对应一个类别编号：请用 target.squeeze(1)，或者 target.argmax(1)。
# is out of bounds.
A target is the number of a class, from 0 to {last}, one for each score. (A single score: use BCEWithLogitsLoss.)
target 是类别编号，只能是 0 到 {last}：类别数等于得分的个数。（二分类只输出一个得分时，请用 BCEWithLogitsLoss。）
# Expected target size
Scores (N, C, …) need targets (N, …): target.squeeze(1)? Where C comes last: scores.reshape(-1, C), target.reshape(-1).
得分 (N, 类别数, …) 配 target (N, …)：试试 target.squeeze(1)；类别在最后，用 scores.reshape(-1, C)、target.reshape(-1)。
# type for target with class probabilities
A target of the input's shape holds probabilities: target.float(). Class numbers: target.argmax(1).
target 的形状与 input 相同，就当作概率：请用 target.float()；如果其实是类别编号，请用 target.argmax(1)。
# Found dtype
The target of this loss has the dtype of its input: target.float(), or target.to(input.dtype).
这个损失函数要求 target 与 input 的 dtype 相同：请用 target.float()，或者 target.to(input.dtype)。
# different to the input size | must be the same as input size
Both must have the same shape. Where scores are (N, 1) and targets (N): scores.squeeze(1), or target.unsqueeze(1).
两者的形状必须相同。如果得分是 (N, 1)，target 是 (N)，请用 scores.squeeze(1)，或者 target.unsqueeze(1)。
# all elements of input should be between 0 and 1
It takes probabilities. For scores use BCEWithLogitsLoss, or binary_cross_entropy_with_logits.
它需要的是概率；如果是未经 sigmoid 的得分，请改用 BCEWithLogitsLoss（函数是 binary_cross_entropy_with_logits）。
# all elements of target should be between 0 and 1
A target is a probability: 0 for no, 1 for yes. For more than two classes use CrossEntropyLoss.
target 是概率：0 表示否，1 表示是。类别多于两个时，请用 CrossEntropyLoss。
# index out of range in self
There is a row for each number from 0 to {last}: check the numbers, or give an embedding's table more rows.
编号只能是 0 到 {last}（有几行，就有几个编号）：请检查编号；如果是嵌入层，也可以增加表的行数。
# for argument #1 'indices' | int64 for index | one_hot is only applicable | tensors used as indices must be
Numbers of rows and classes must be integers: x.long().
行和类别的编号必须是整数：请用 x.long() 转换。
# channels, but got
An input is (N, channels, …): dimension 1 counts the channels.
输入的形状是 (N, 通道数, …)：第 1 维是通道数。
# input to conv2d | weight should have at least three dimensions
An image is (channels, rows, columns): unsqueeze(0) puts in that of a grey one. A kernel: k.reshape(1, 1, 3, 3).
图像的形状是 (通道数, 行, 列)，灰度图用 unsqueeze(0) 补上通道；卷积核还多一个输出通道：k.reshape(1, 1, 3, 3)。
# Expected more than 1 value per channel
One example has no spread to normalize by: use larger batches (DataLoader's drop_last=True), or net.eval() to predict.
只有一个样本，算不出方差：训练时用更大的批次（DataLoader 的 drop_last=True），预测时先调用 net.eval()。
# before Module.__init__() call
Call super().__init__() first in your __init__.
请在 __init__ 的第一行调用 super().__init__()。
# [__int__]
Your class has a method __int__: the one that makes a module is spelt __init__.
类里写的是 __int__，少了一个 i：创建模块的方法叫 __init__。
# is missing the required "forward" function
Write `def forward(self, x):` in the class: look for a misspelt name, or for wrong indentation.
请在类里写 `def forward(self, x):`：检查名字有没有拼错，缩进对不对。
# as parameter
Assign an nn.Parameter(…), or change the numbers inside torch.no_grad() with copy_().
请赋一个 nn.Parameter(…)，或者在 torch.no_grad() 里用 copy_() 修改数值。
# [a class among modules]
Parentheses make a module of it: {name}().
这里写的是类，加上括号才会创建模块：{name}()。
# [modules in a list]
Give the modules one by one, not in a list: nn.Sequential(a, b), or nn.Sequential(*modules).
模块要逐个传入，不要放在列表里：nn.Sequential(a, b)，或者 nn.Sequential(*modules)。
# [a function among modules]
For many functions there is a module: nn.ReLU() for torch.relu.
许多函数都有对应的模块：torch.relu 对应 nn.ReLU()。
# Expected state_dict to be dict-like
It takes what was saved, not its name: model.load_state_dict(torch.load("a.pth")).
要传入的是保存的内容，不是文件名：model.load_state_dict(torch.load("a.pth"))。
# Error(s) in loading state_dict
The model must be built as the saved one was: compare names and shapes. strict=False takes the names both have.
模型的结构必须与保存时相同：请比较参数名和形状。strict=False 只读入名字两边都有的参数。
# params argument given to the optimizer
Even a single tensor goes into a list: [w].
只有一个张量也要放在列表里：[w]。
# empty parameter list
There are no parameters: layers in a plain list are not seen (use nn.ModuleList), and a generator gives them only once.
一个参数也没有：普通列表里的层不会被登记（请用 nn.ModuleList）；参数生成器也只能遍历一次。
# object is not iterable | one of the params is
An optimizer takes the tensors: model.parameters(); of two models: [*a.parameters(), *b.parameters()].
优化器需要的是参数张量：model.parameters()；两个模型写成 [*a.parameters(), *b.parameters()]。
# can't optimize a non-leaf Tensor
It was computed from others, so no gradient lands in it. Make a leaf: x = x.detach().requires_grad_(). Lesson 4.
这个张量是由别的张量计算出来的，梯度不会留在它上面。请先得到叶子节点：x = x.detach().requires_grad_()。参见第 4 课。
# Could not run on device | device type at start of device string
minigrad has the devices 'cpu' and 'cuda' only.
minigrad 只支持 'cpu' 和 'cuda' 两种设备。
# Torch not compiled with CUDA | Cannot access accelerator device
NVIDIA GPUs are used through cupy: pip install "minigrad-lessons[gpu]". Without one, use device='cpu'.
NVIDIA GPU 通过 cupy 使用：pip install "minigrad-lessons[gpu]"。没有 GPU 时请用 device='cpu'。
# Found no NVIDIA driver
cupy is installed and finds no GPU. Ask torch.cuda.is_available() first, or use device='cpu'.
cupy 已经安装，但没有找到 GPU。可以先用 torch.cuda.is_available() 判断，或者使用 device='cpu'。
# invalid device ordinal
There are {count} GPUs, numbered from 0.
一共有 {count} 个 GPU，编号从 0 开始。
# to be on the same device
Bring them together first: x.to(device), or make them there: torch.zeros(3, device=device).
请先把它们放到同一个设备上：x.to(device)；或者直接在该设备上创建：torch.zeros(3, device=device)。
# [found late by a GPU]
The GPU runs behind the program and has found this only now: its cause is further up.
GPU 异步执行，所以到现在才报告这个错误：真正出错的语句在前面。
"""

CURES = {
    words: (english, chinese)
    for heading, english, chinese in map(str.splitlines, _TABLE.split("\n# ")[1:])
    for words in heading.split(" | ")
}
