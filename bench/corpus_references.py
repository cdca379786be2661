#!/usr/bin/env python3
"""Kernels of public projects: is what the emulator leaves in memory what their source says?

Each function below computes with numpy what one kernel of results/corpus_runs.txt leaves in memory.
They were written from the source texts of the kernels, not from what the emulator returned. All
memory is compared, that which should not change, too. Needs numpy, the sources in FOLDER and the PTX
of bench/corpus.sh --run in FOLDER/ptx (see there):
    python3 bench/corpus_references.py [--smemcalc ./smemcalc] FOLDER [KERNEL]...
    python3 bench/corpus_references.py --choose FOLDER      the kernels that the rule chooses

The rule: of the kernels in the order of corpus_runs.txt whose own text, from __global__ to its
closing brace, stands in the listed file and has at most 30 lines, the first and then every third.

Equal is, for integers, copies and sums in an order that the source fixes: the same bits. Elsewhere
the compiler may fuse a product with a sum, and mathematical functions are approximate: a result may
differ by 2^-21 (float), 2^-50 (double) or 2^-7 (bfloat16) of its size, or of that of its terms.

Exit status 1 if any memory differs, or a kernel that the rule chooses has no reference.
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

F = np.float32
TYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8",
         "u16": "<u2", "i16": "<i2", "u8": "u1", "i8": "i1"}
RUNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "corpus_runs.txt")
BFLOAT16 = 2.0 ** -7
TOLERANCE = {"f4": 2.0 ** -21, "f8": 2.0 ** -50, "u2": BFLOAT16}


# --- Inputs: as the program fills memory (doc/emulator.md, "Arguments") --------------------------

MASK = (1 << 64) - 1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def random_bits(name, count):
    """Splitmix64; each memory has a start of its own."""
    golden = 0x9E3779B97F4A7C15
    start = mix(1 + golden)
    for c in name.encode():
        start = mix(start + c & MASK)
    x = np.uint64(start) + np.arange(count, dtype=np.uint64) * np.uint64(golden)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


def random_values(kind, name, count):
    bits = random_bits(name, count)
    if kind == "f32":
        return ((bits >> np.uint64(40)).astype(np.int64) - (1 << 23)) * 2.0 ** -23
    if kind == "f64":
        return ((bits >> np.uint64(11)).astype(np.int64) - (1 << 52)) * 2.0 ** -52
    whole = ((bits >> np.uint64(32)) * np.uint64(2001) >> np.uint64(32)).astype(np.int64) - 1000
    return whole + (1000 if kind[0] == "u" else 0)


def make(text, name):
    """An argument: a number, or an array."""
    memory = re.fullmatch(r"([a-z]\d+)x(\d+)(?::(.*))?", text)
    if not memory:
        kind, value = text.split(":", 1)
        number = float(value) if kind[0] == "f" else int(value)
        return np.dtype(TYPES[kind]).type(number)
    kind, count, filling = memory[1], int(memory[2]), memory[3] or "zero"
    if filling == "zero":
        values = np.zeros(count)
    elif filling == "ramp":
        values = np.arange(count)
    elif filling == "random":
        values = random_values(kind, name, count)
    else:
        values = np.full(count, float(filling))
    if kind[0] == "f":
        return values.astype(TYPES[kind])
    return values.astype(np.int64).astype(TYPES[kind])


class Run:
    """One line of corpus_runs.txt."""

    def __init__(self, line):
        fields = line.rstrip("\n").split("\t")
        self.project, self.file, self.entry, grid, block, self.smem, arguments = fields[:7]
        self.words, self.folder = fields[:7], None
        self.note = fields[7] if len(fields) > 7 else ""
        self.grid = [int(n) for n in grid.split("x")] + [1] * (3 - len(grid.split("x")))
        self.block = [int(n) for n in block.split("x")] + [1] * (3 - len(block.split("x")))
        self.arguments, self.sets = [], {}
        words = arguments.split()
        while words:
            if words[0] == "--set":
                name, value = words[1].split("=", 1)
                self.sets[name] = value
                words = words[2:]
            else:
                self.arguments.append(words.pop(0))

    def inputs(self):
        values = [make(text, "arg %d" % (i + 1)) for i, text in enumerate(self.arguments)]
        return values, {name: make(text, name) for name, text in self.sets.items()}

    def threads(self):
        """In x, of the whole grid."""
        return self.grid[0] * self.block[0]

    def source(self):
        return os.path.join(self.folder, self.project.replace("/", "+"), self.file)


# --- References -----------------------------------------------------------------------------------

REFERENCES = {}


def reference(file, *entries, tolerance=None):
    """Of kernels in a file whose path ends so. They change their arguments as the kernel does; a
    dictionary that they return has, by argument, the size of the terms of each element."""
    def add(function):
        for entry in entries:
            REFERENCES[file, entry] = (function, tolerance)
        return function
    return add


def tree(values):
    """Sums as blocks do: the upper half is added to the lower one."""
    values = values.copy()
    half = len(values) // 2
    while half:
        values = values[:half] + values[half:2 * half]
        half //= 2
    return values[0]


def to_bfloat16(values):
    """Round to nearest, ties to even."""
    bits = np.asarray(values, F).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16))
    return np.where(np.isnan(values), 0x7FFF, rounded).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << np.uint32(16)).view(F)


def multiply(a, b):
    """In double precision, and the sizes of the terms."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b, np.abs(a) @ np.abs(b)


@reference("cp/src/cuda_base/cuenergy_pre.cu", "_Z7cenergyifPf", tolerance=True)
def potential(run, sets, atoms, spacing, grid):
    x, y = np.meshgrid(np.arange(64), np.arange(32))
    atom = sets["atominfo"].reshape(-1, 4)[:atoms]
    x, y = (F(spacing) * x.astype(F))[..., None], (F(spacing) * y.astype(F))[..., None]
    dx, dy = (x - atom[:, 0]).astype(np.float64), (y - atom[:, 1]).astype(np.float64)
    square = dx * dx + dy * dy + atom[:, 2]
    term = atom[:, 3] / np.sqrt(square)
    grid[:2048] += term.sum(-1).astype(F).ravel()
    # A term is as sensitive as its square is small against what it is the sum of.
    worst = np.abs(term) * (1 + (dx * dx + dy * dy + np.abs(atom[:, 2])) / np.abs(square))
    size = np.zeros(len(grid))
    size[:2048] = worst.sum(-1).ravel()
    return {2: size}


@reference("mri-gridding/src/cuda/scanLargeArray.cu", "_Z10uniformAddjPjS_")
def uniform_add(run, sets, n, data, inter):
    data[:n] += np.repeat(inter, 512)[:n]


@reference("stencil/src/cuda_fermi/kernels.cu", "_Z18block2D_reg_tilingffPfS_iii", tolerance=True)
def seven_points(run, sets, c0, c1, before, after, nx, ny, nz):
    a = before.reshape(nz, ny, nx).astype(np.float64)
    out, size = after.reshape(nz, ny, nx), np.zeros((nz, ny, nx))
    inner = a[1:-1, 1:-1, 1:-1]
    around = [a[2:, 1:-1, 1:-1], a[:-2, 1:-1, 1:-1], a[1:-1, 2:, 1:-1], a[1:-1, :-2, 1:-1],
              a[1:-1, 1:-1, 2:], a[1:-1, 1:-1, :-2]]
    out[1:-1, 1:-1, 1:-1] = sum(around) * c1 - inner * c0
    size[1:-1, 1:-1, 1:-1] = sum(np.abs(x) for x in around) * c1 + np.abs(inner) * c0
    return {3: size.ravel()}


@reference("03-basic-framework/add3if.cu", "_Z3addPKdS0_Pdi")
@reference("03-basic-framework/add4device.cu", "_Z4add3PKdS0_Pdi")
@reference("11-stream/host-kernel.cu", "_Z7gpu_sumPKfS0_Pf")
@reference("11-stream/kernel-kernel.cu", "_Z3addPKfS0_Pf")
@reference("vectorAddDrv/vectorAdd_kernel.cu", "VecAdd_kernel")
@reference("hw3/vector_add_solution.cu", "_Z4vaddPKfS0_Pfi")
@reference("kernels/notes-v1.cu", "_Z20elementwise_add_vec4PfS_S_i")
def add(run, sets, x, y, z, n=None):
    z[:n] = x[:n] + y[:n]


@reference("07-global-memory/matrix.cu", "_Z10transpose1PKfPfi")
@reference("08-shared-memory/bank.cu", "_Z10transpose2PKfPfi")
def transpose(run, sets, a, b, n):
    b[:] = a.reshape(n, n).T.ravel()


@reference("08-shared-memory/reduce2gpu.cu", "_Z14reduce_dynamicPfS_")
def reduce_blocks(run, sets, x, y):
    for b in range(run.grid[0]):
        y[b] = tree(x[b * run.block[0]:(b + 1) * run.block[0]])


@reference("02_matrix_mul/baseline/mmul.cu", "_Z9matrixMulPKiS0_Pii")
def multiply_integers(run, sets, a, b, c, n):
    c[:] = (a.reshape(n, n) @ b.reshape(n, n)).ravel()


@reference("03_sum_reduction/diverged/sumReduction.cu", "_Z12sumReductionPiS_")
def sum_blocks(run, sets, v, out):
    out[:] = v.reshape(run.grid[0], -1).sum(1)


@reference("cooperative_groups/sumReduction.cu", "_Z13sum_reductionPiS_i")
def sum_all(run, sets, out, v, n):
    out[0] += v[:n].sum()


@reference("1d_constant_memory/convolution.cu", "_Z14convolution_1dPiS_i")
def convolve(run, sets, a, out, n):
    mask = sets["mask"]
    padded = np.pad(a[:n], len(mask) // 2)
    out[:] = [int(padded[i:i + len(mask)] @ mask) for i in range(n)]


@reference("ggml-cuda/count-equal.cu", "_Z11count_equalIiEvPKT_S2_Plll")
def count_equal(run, sets, x, y, out, per_block, n):
    out.view(np.int32)[0] += (x[:n] == y[:n]).sum()


def blocks_of(data, size, part):
    """Bytes FIRST to END of each quantised block, or halves."""
    first, end = part
    return data.reshape(-1, size)[:, first:end]


def half_of(data, size, first):
    return blocks_of(data, size, (first, first + 2)).copy().view(np.float16).astype(np.float64)


@reference("ggml-cuda/convert.cu", "_Z21dequantize_block_q2_KI13__nv_bfloat16EvPKvPT_", tolerance=True)
def dequantize_q2(run, sets, data, out):
    scales, q = blocks_of(data, 84, (0, 16)), blocks_of(data, 84, (16, 80))
    d, least = half_of(data, 84, 80), half_of(data, 84, 82)
    y = np.arange(256)
    quant = q[:, 32 * (y // 128) + y % 32] >> (y % 128 // 32 * 2).astype(np.uint8) & 3
    scale = scales[:, y // 16].astype(np.int64)
    product, shift = d * (scale & 15) * quant, least * (scale >> 4)
    out[:] = to_bfloat16((product - shift).astype(F)).ravel()
    return {1: (np.abs(product) + np.abs(shift)).ravel()}


@reference("ggml-cuda/convert.cu", "_Z21dequantize_block_q5_KI13__nv_bfloat16EvPKvPT_", tolerance=True)
def dequantize_q5(run, sets, data, out):
    d, least = half_of(data, 176, 0), half_of(data, 176, 2)
    s = blocks_of(data, 176, (4, 16)).astype(np.int64)
    high, low = blocks_of(data, 176, (16, 48)), blocks_of(data, 176, (48, 176))
    scale = np.concatenate([s[:, 0:4] & 63, s[:, 8:12] & 15 | s[:, 0:4] >> 6 << 4], 1)
    shift = np.concatenate([s[:, 4:8] & 63, s[:, 8:12] >> 4 | s[:, 4:8] >> 6 << 4], 1)
    y = np.arange(256)
    group = y // 32
    nibble = low[:, y // 64 * 32 + y % 32] >> (group % 2 * 4).astype(np.uint8) & 15
    bit = high[:, y % 32] >> group.astype(np.uint8) & 1
    product = d * scale[:, group] * (nibble.astype(np.int64) + 16 * bit)
    least = least * shift[:, group]
    out[:] = to_bfloat16((product - least).astype(F)).ravel()
    return {1: (np.abs(product) + np.abs(least)).ravel()}


def table_of(run, name):
    """A table in ggml's own header."""
    with open(os.path.join(os.path.dirname(run.source()), "..", "ggml-common.h"),
              encoding="utf-8") as header:
        text = header.read()
    body = re.search(r"GGML_TABLE_BEGIN\(\w+, %s, \d+\)(.*?)GGML_TABLE_END" % name, text, re.S)[1]
    return np.array([int(n, 0) for n in re.findall(r"-?\b(?:0x[0-9a-fA-F]+|\d+)\b", body)])


@reference("ggml-cuda/convert.cu", "_Z23dequantize_block_iq2_xsI13__nv_bfloat16EvPKvPT_",
           tolerance=True)
def dequantize_iq2(run, sets, data, out):
    grid = table_of(run, "iq2xs_grid").astype(np.uint64).view(np.uint8).reshape(-1, 8)
    signs, mask = table_of(run, "ksigns_iq2xs"), table_of(run, "kmask_iq2xs")
    d = half_of(data, 74, 0)
    q = blocks_of(data, 74, (2, 66)).copy().view(np.uint16).astype(np.int64)
    scales = blocks_of(data, 74, (66, 74)).astype(np.int64)
    y = np.arange(256)
    quant = q[:, y // 8]
    scale = scales[:, y // 32] >> (y // 16 % 2 * 4) & 15
    sign = np.where(signs[quant >> 9] & mask[y % 8], -1, 1)
    value = d * (0.5 + scale) * 0.25 * grid[quant & 511, y % 8] * sign
    out[:] = to_bfloat16(value.astype(F)).ravel()


@reference("ggml-cuda/convert.cu", "_Z23dequantize_block_iq4_xsI13__nv_bfloat16EvPKvPT_",
           tolerance=True)
def dequantize_iq4(run, sets, data, out):
    values = table_of(run, "kvalues_iq4nl")
    d = half_of(data, 136, 0)
    high = blocks_of(data, 136, (2, 4)).copy().view(np.uint16).astype(np.int64)
    low = blocks_of(data, 136, (4, 8)).astype(np.int64)
    q = blocks_of(data, 136, (8, 136))
    y = np.arange(256)
    group = y // 32
    scale = (low[:, group // 2] >> (group % 2 * 4) & 15) | (high >> (2 * group) & 3) << 4
    nibble = q[:, 16 * group + y % 16] >> (y % 32 // 16 * 4).astype(np.uint8) & 15
    out[:] = to_bfloat16((d * (scale - 32) * values[nibble]).astype(F)).ravel()


@reference("ggml-cuda/fill.cu", "_Z11fill_kernelIfEvPT_lS0_")
def fill(run, sets, out, n, value):
    out[:n] = value


@reference("ggml-cuda/roll.cu", "_Z13roll_f32_cudaPKfPflllliiii")
def roll(run, sets, a, out, n0, n1, n2, n3, s0, s1, s2, s3):
    out[:] = np.roll(a.reshape(n3, n2, n1, n0), (s3, s2, s1, s0), (0, 1, 2, 3)).ravel()


@reference("ggml-cuda/softmax.cu", "_Z17soft_max_back_f32PKfS0_Pfif", tolerance=True)
def softmax_back(run, sets, grad, y, out, columns, scale):
    g, s = (x.reshape(-1, columns).astype(np.float64) for x in (grad, y))
    dot = (g * s).sum(1, keepdims=True)
    out[:] = (scale * (g - dot) * s).ravel()
    return {2: (scale * (np.abs(g) + np.abs(g * s).sum(1, keepdims=True)) * np.abs(s)).ravel()}


@reference("ggml-cuda/unary.cu", "_Z12xielu_kernelIfEvPKT_PS0_iffff", tolerance=True)
def xielu(run, sets, a, out, n, alpha_n, alpha_p, beta, eps):
    x = a[:n].astype(np.float64)
    negative = (np.expm1(np.minimum(x, eps)) - x) * alpha_n + beta * x
    out[:n] = np.where(x > 0, alpha_p * x * x + beta * x, negative)
    return {1: np.abs(x)}


@reference("ggml-cuda/upscale.cu", "_Z11upscale_f32PKfPfiiiiiiiiffff")
def upscale(run, sets, a, out, *rest):
    y, x = np.meshgrid(np.arange(32) // 2, np.arange(32) // 2, indexing="ij")
    out[:] = a[y * 16 + x].ravel()


@reference("lecture_008/coalesce.cu", "_Z20copyDataNonCoalescedPfS_i")
def copy_every_second(run, sets, a, out, n):
    out[:n] = a[np.arange(n) * 2 % n]


@reference("lecture_008/divergence.cu", "_Z26processArrayWithDivergencePii")
def double_or_next(run, sets, data, n):
    data[:n] = np.where(data[:n] % 2 == 0, data[:n] * 2, data[:n] + 1)


@reference("lecture_008/privatization2.cu", "_Z19windowSumPrivatizedPKfPfii")
def window_sums(run, sets, a, out, n, window):
    for i in range(n):
        first = i // run.block[0] * run.block[0]
        total = F(0)
        for k in range(i - window // 2, i + window // 2 + 1):
            if max(first, 0) <= k < min(first + run.block[0], n):
                total += a[k]
        out[i] = total


@reference("lecture_009/control_divergence_reduce.cu", "_Z19FixDivergenceKernelPfS_")
def reduce_in_place(run, sets, a, out):
    stride = run.block[0]
    while stride:
        a[:stride] += a[stride:2 * stride]
        stride //= 2
    out[0] = a[0]


@reference("lecture_009/segment_reduce.cu", "_Z21SharedMemoryReductionPfS_i")
def reduce_two_segments(run, sets, a, out, n):
    out[0] = tree(a[:1024]) + tree(a[1024:2048])


@reference("cuda/attention_forward.cu", "_Z23attention_value_kernel1PfPKfS1_iiii", tolerance=True)
def attention_value(run, sets, out, att, inp, b, t, c, heads):
    weights = np.tril(att.reshape(b, heads, t, t).astype(np.float64))
    values = inp.reshape(b, t, 3, heads, c // heads)[:, :, 2].astype(np.float64)
    out[:] = np.einsum("bhqk,bkhs->bqhs", weights, values).ravel()
    return {0: np.einsum("bhqk,bkhs->bqhs", np.abs(weights), np.abs(values)).ravel()}


@reference("cuda/attention_forward.cu", "_Z12scale_kernelPffiii")
def scale_masked(run, sets, a, scale, b, heads, t):
    matrix = a.reshape(b * heads, t, t)
    matrix *= scale
    matrix[:, np.triu(np.ones((t, t), bool), 1)] = -np.inf


@reference("cuda/crossentropy_forward.cu", "_Z28crossentropy_forward_kernel1PfPKfPKiiii",
           tolerance=True)
def cross_entropy(run, sets, losses, probs, targets, b, t, v):
    with np.errstate(divide="ignore"):
        losses[:] = -np.log(probs[np.arange(b * t) * v + targets[:b * t]].astype(np.float64))


@reference("cuda/fused_residual_forward.cu", "_Z24residual_forward_kernel1P13__nv_bfloat16PKS_S2_i")
def add_bfloat16(run, sets, out, a, b, n):
    out[:n] = to_bfloat16(from_bfloat16(a) + from_bfloat16(b))[:n]


@reference("cuda/matmul_backward.cu", "_Z33matmul_backward_bias_kernel_naivePfPKfiii")
def bias_gradient(run, sets, dbias, dout, b, t, channels):
    total = np.zeros(channels)
    for row in dout.reshape(b * t, channels):
        total += row
    dbias[:] = total


@reference("cuda/matmul_forward.cu", "_Z8add_biasPfPKfiii")
def add_bias(run, sets, out, bias, b, t, channels):
    out += np.tile(bias, b * t)


@reference("cuda/softmax_forward.cu", "_Z30softmax_forward_online_kernel1PfPKfii", tolerance=True)
def softmax(run, sets, out, a, n, c):
    x = a.reshape(n, c).astype(np.float64)
    power = np.exp(x - x.max(1, keepdims=True))
    out[:] = (power / power.sum(1, keepdims=True)).ravel()


@reference("mixed-precision/haxpy.cu", "_Z5haxpyi6__halfPKS_PS_")
def half_axpy(run, sets, n, a, x, y):
    factor = np.array([a]).view(np.float16).astype(np.float64)
    value = factor * x.view(np.float16).astype(np.float64) + y.view(np.float16)
    y[:n] = value.astype(np.float16).view(np.uint16)[:n]


@reference("rnn/LSTM.cu", "_Z10pw_biasAddPfS_ii")
def add_repeated(run, sets, y, bias, n, biases):
    y[:n] += bias[np.arange(n) % biases]


@reference("rnn/LSTM.cu", "_Z7pw_tanhPfS_i", tolerance=True)
def hyperbolic_tangent(run, sets, y, a, n):
    y[:n] = np.tanh(a[:n].astype(np.float64))


@reference("coalescing-global/coalescing.cu", "_Z6offsetIdEvPT_i")
def add_one_from(run, sets, a, first):
    a[first:first + run.threads()] += 1


def derivative(f, out, axis, c):
    """Periodic: the first and the last point are the same one. 64 cubed points, of which x below 16
    and the other axis below 4 are computed."""
    a = f.reshape(64, 64, 64).astype(np.float64)
    padded = np.concatenate([np.take(a, range(59, 63), axis), a, np.take(a, range(1, 5), axis)], axis)
    points = np.arange(4, 68)
    value, size = np.zeros(a.shape), np.zeros(a.shape)
    for i, factor in enumerate(c, 1):
        after, before = np.take(padded, points + i, axis), np.take(padded, points - i, axis)
        value += factor * (after - before)
        size += abs(factor) * (np.abs(after) + np.abs(before))
    part = (slice(None), slice(4), slice(16)) if axis == 0 else (slice(4), slice(None), slice(16))
    out.reshape(64, 64, 64)[part] = value[part]
    return {1: size.ravel()}


@reference("finite-difference/finite-difference.cu", "_Z12derivative_yPfS_", tolerance=True)
def derivative_y(run, sets, f, out):
    return derivative(f, out, 1, [sets[n] for n in ("c_ay", "c_by", "c_cy", "c_dy")])


@reference("finite-difference/finite-difference.cu", "_Z12derivative_zPfS_", tolerance=True)
def derivative_z(run, sets, f, out):
    return derivative(f, out, 0, [sets[n] for n in ("c_az", "c_bz", "c_cz", "c_dz")])


@reference("shared-memory/shared-memory.cu", "_Z14dynamicReversePii")
def reverse(run, sets, d, n):
    d[:n] = d[:n][::-1].copy()


@reference("transpose/transpose.cu", "_Z14transposeNaivePfPKf")
def transpose_into(run, sets, out, a):
    out[:] = a.reshape(64, 64).T.ravel()


@reference("matrixMul_nvrtc/matrixMul_kernel.cu", "matrixMulCUDA_block32", tolerance=True)
def multiply_into(run, sets, c, a, b, width_a, width_b):
    value, size = multiply(a.reshape(-1, width_a), b.reshape(-1, width_b))
    c[:] = value.ravel()
    return {0: size.ravel()}


@reference("simpleIPC/simpleIPC.cu", "_Z12simpleKernelPcic")
def fill_bytes(run, sets, out, n, value):
    out[:n] = value


@reference("simpleP2P/simpleP2P.cu", "_Z12SimpleKernelPfS_")
def double(run, sets, a, out):
    out[:] = a * F(2)


@reference("histogram/histogram64.cu", "_Z22mergeHistogram64KernelPjS_j")
def merge_histograms(run, sets, out, partial, count):
    out[:] = partial.reshape(-1, 64)[:count].sum(0)


@reference("scan/scan.cu", "_Z20scanExclusiveShared2PjS_S_jj")
def scan_ends(run, sets, buffer, scanned, source, n, length):
    ends = 1024 * np.arange(n) + 1023
    value = scanned[ends] + source[ends]
    buffer[:n] = np.cumsum(value) - value


@reference("StreamPriorities/StreamPriorities.cu", "_Z13memcpy_kernelPiS_m")
def copy_bytes(run, sets, out, a, n):
    out[:n // 4] = a[:n // 4]


@reference("graphMemoryNodes/graphMemoryNodes.cu", "_Z11squareArrayPKfPfi")
def square(run, sets, a, out, n):
    out[:n] = a[:n] * a[:n]


@reference("oceanFFT/oceanFFT_kernel.cu", "_Z20calculateSlopeKernelPfP6float2jj")
def slopes(run, sets, h, out, width, height):
    h, slope = h.reshape(height, width), out.reshape(height, width, 2)
    slope[1:-1, 1:-1, 0] = h[1:-1, 2:] - h[1:-1, :-2]
    slope[1:-1, 1:-1, 1] = h[2:, 1:-1] - h[:-2, 1:-1]


@reference("quasirandomGenerator_nvrtc/quasirandomGenerator_kernel.cu", "quasirandomGeneratorKernel")
def quasirandom(run, sets, out, seed, n):
    table = sets["c_Table"].reshape(3, 31)
    for dimension in range(3):
        for position in range(n):
            result = 0
            for bit in range(31):
                if (seed + position) >> bit & 1:
                    result ^= int(table[dimension, bit])
            out[dimension * n + position] = F(result + 1) * F(2.0 ** -31)


@reference("simpleVulkan/SineWaveSimulation.cu", "_Z8sinewavePfjjf", tolerance=True)
def sine_wave(run, sets, out, width, height, time):
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    u, v = 2.0 * x / width - 1, 2.0 * y / height - 1
    out[:] = (0.5 * np.sin(u * 4 + time) * np.cos(v * 4 + time)).ravel()
    return {0: np.ones(len(out))}


@reference("hw1/matrix_mul_solution.cu", "_Z4mmulPKfS0_Pfi", tolerance=True)
def multiply_squares(run, sets, a, b, c, n):
    value, size = multiply(a.reshape(n, n), b.reshape(n, n))
    c[:] = value.ravel()
    return {2: size.ravel()}


@reference("hw5/matrix_sums_solution.cu", "_Z8row_sumsPKfPfm")
def row_sums(run, sets, a, sums, n):
    for row in range(n):
        sums[row] = tree(np.pad(a.reshape(n, n)[row], (0, 256 - int(n))))


@reference("hw6/array_inc.cu", "_Z3incPim")
def increment(run, sets, a, n):
    a[:n] += 1


@reference("hw13/axpy_stream_capture_timer.cu", "_Z8kernel_cPfS_")
def axpy(run, sets, x, y):
    y[:] = 2.0 * x.astype(np.float64) + y


@reference("sum.cu", "_Z10sumKernel3ILi1024ELi16EEvP4int4Pii")
def sum_clearing(run, sets, a, out, n):
    out[0] = a[:n].sum()


@reference("level0/MaxFlops.cu", "_Z4Add1IfEvPT_iS0_")
def subtract_from(run, sets, data, times, v):
    for _ in range(times * 240):
        data[:] = v - data


@reference("level0/MaxFlops.cu", "_Z5MAdd8IfEvPT_iS0_S0_")
def subtract_products(run, sets, data, times, v1, v2):
    s1 = data.copy()
    s2 = F(10) - s1
    s = [s1, s2, F(9) - s1, F(9) - s2, F(8) - s1, F(8) - s2, F(7) - s1, F(7) - s2]
    for _ in range(times * 30):
        s = [v1 - x * v2 for x in s]  # v2 is a power of two: the product is exact
    data[:] = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))


@reference("bfs/bfs_kernel.cu", "_Z13Frontier_copyPjS_S_")
def copy_frontier(run, sets, frontier, other, length):
    frontier[:length[0]] = other[:length[0]]


@reference("neuralnet/NeuralNet.cu", "_Z18kernelFeedForward2PfS_iS_", tolerance=True)
def feed_forward_2(run, sets, z, biases, first, activations):
    z[:64] += biases[first:first + 64]
    activations[:64] = 1.0 / (1.0 + np.exp(-z[:64].astype(np.float64)))


@reference("neuralnet/NeuralNet.cu", "_Z18kernelFeedForward1PfiS_iS_", tolerance=True)
def feed_forward_1(run, sets, z, count, weights, first, activations):
    n = run.block[0]
    w = weights[first:first + n * count].reshape(n, count).astype(np.float64)
    z[:n] = w @ activations[:count]


@reference("kernels/notes-v1.cu", "_Z9histogramPiS_i")
def histogram(run, sets, a, y, n):
    np.add.at(y, a[:n], 1)


@reference("kernels/notes-v1.cu", "_Z4reluPfS_i")
def relu(run, sets, x, y, n):
    y[:n] = np.maximum(F(0), x[:n])


@reference("nvidia-nsight/elementwise.cu", "_Z26elementwise_add_f16_kernelP6__halfS0_S0_i")
def add_half(run, sets, a, b, c, n):
    c[:n] = (a.view(np.float16) + b.view(np.float16)).view(np.uint16)[:n]


@reference("nvidia-nsight/relu.cu", "_Z15relu_f16_kernelP6__halfS0_i")
def relu_half(run, sets, x, y, n):
    y[:n] = np.maximum(np.float16(0), x.view(np.float16)).view(np.uint16)[:n]


@reference("swizzle/mat_trans_swizzle.cu", "_Z27mat_trans_smem_naive_kernelPiiiS_")
def transpose_rows(run, sets, a, rows, columns, b):
    b[:] = a.reshape(rows, columns).T.ravel()


@reference("lud/cuda/lud_kernel.cu", "_Z12lud_internalPfii", tolerance=True)
def lud_inner(run, sets, m, n, offset):
    matrix, end = m.reshape(n, n), offset + 16
    value, size = multiply(matrix[end:, offset:end], matrix[offset:end, end:])
    sizes = np.zeros((n, n))
    sizes[end:, end:] = size + np.abs(matrix[end:, end:])
    matrix[end:, end:] -= value.astype(F)
    return {0: sizes.ravel()}


@reference("background-subtract-cuda/main.cu", "_Z16updateBackgroundmPKhS0_Ph")
def update_background(run, sets, n, image, moving, background):
    still = moving[:n] == 0
    value = 0.92 * background[:n] + 0.08 * image[:n]
    background[:n] = np.where(still, value.astype(np.uint8), background[:n])


@reference("blockAccess-cuda/main.cu", "_Z9referencePKfPhm")
def to_bytes(run, sets, a, out, n):
    out[:n] = a[:n].astype(np.int32).astype(np.uint8)


@reference("convolution1D-cuda/main.cu", "_Z6conv1dIdEvPKT_PS0_ii", tolerance=True)
def convolve_doubles(run, sets, a, out, n, width):
    mask = sets["_Z4maskIdE"][:width]
    padded = np.pad(a[:n], width // 2)
    rows = np.array([padded[i:i + width] for i in range(n)])
    out[:] = rows @ mask
    return {1: np.abs(rows) @ np.abs(mask)}


@reference("jaccard-cuda/main.cu", "_Z4fillILb1EfEviPT0_S0_")
def fractions(run, sets, n, w, value):
    w[:n] = np.arange(1, n + 1).astype(F) / F(n)


@reference("mrc-cuda/main.cu", "_Z11MRCGradientiPKiPKfS2_S2_fPfS3_")
def ranking_gradient(run, sets, n, y, x1, x2, gradient, margin, d1, d2):
    label, minus = y.astype(F), (-y).astype(F)  # 0 has no sign
    lost = minus.astype(np.float64) * (x1 - x2) + margin >= 0
    d1[:n] = np.where(lost, minus * gradient, 0)
    d2[:n] = np.where(lost, label * gradient, 0)


@reference("pitch-cuda/main.cu", "_Z22parallelSimple3DAccessPfiii", tolerance=True)
def sigmoid(run, sets, a, *size):
    a[:] = 1 / (1 + np.exp(-a.astype(np.float64)))


@reference("tsne-cuda/attr_forces.cu", "_Z17reduce_sum_kernelPfPKfS1_ii")
def sums_of_neighbours(run, sets, out, x, y, points, neighbours):
    for first, values in ((0, x), (points, y)):
        total = np.zeros(points, F)
        for column in values[:points * neighbours].reshape(points, neighbours).T:
            total += column
        out[first:first + points] = total


# --- The rule -------------------------------------------------------------------------------------

def kernel_lines(text, entry):
    """Lines of the kernel's text in the file; None: it is not found there."""
    mangled = re.match(r"_Z(\d+)", entry)
    name = entry[mangled.end():mangled.end() + int(mangled[1])] if mangled else entry
    for found in re.finditer(r"\b%s\s*\(" % re.escape(name), text):
        end = close(text, found.end(), "()")
        body = re.match(r"\s*(//[^\n]*\s*)*\{", text[end:])
        before = max(0, found.start() - 300)
        first = text.rfind("__global__", before, found.start())
        if body and first >= 0:
            return text.count("\n", first, close(text, end + body.end(), "{}")) + 1
    return None


def close(text, at, pair):
    depth = 1
    while at < len(text) and depth:
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        at += 1
    return at


def chosen(runs):
    short = []
    for run in runs:
        if not os.path.exists(run.source()):
            sys.exit("corpus_references.py: no file '%s'" % run.source())
        with open(run.source(), encoding="utf-8", errors="replace") as file:
            lines = kernel_lines(file.read(), run.entry)
        if lines is not None and lines <= 30:
            short.append(run)
    return short[::3]


# --- Comparing ------------------------------------------------------------------------------------

def emulate(smemcalc, run, scratch):
    """What the run leaves in memory: arrays by argument's position, or None and the error."""
    ptx = os.path.join(run.folder, "ptx", "%s~%s.ptx" % (run.project.replace("/", "+"),
                                                         run.file.replace("/", "~")))
    command = [smemcalc, "run", ptx, "--entry", run.entry, "--grid", run.words[3],
               "--block", run.words[4], "--on", "emulator", "--device", "9.0", "--timeout", "60000"]
    if run.smem != "0":
        command += ["--dynamic-smem", run.smem]
    dumped = {}
    for i, text in enumerate(run.arguments):
        command += ["--arg", text]
        if re.match(r"[a-z]\d+x", text):
            dumped[i] = os.path.join(scratch, "%d.bin" % i)
            command += ["--dump", "%d:%s" % (i + 1, dumped[i])]
    for name, text in run.sets.items():
        command += ["--set", "%s=%s" % (name, text)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not all(os.path.exists(path) for path in dumped.values()):
        return None, done.stderr.strip() or "status %d" % done.returncode
    kinds = {i: TYPES[run.arguments[i].split("x")[0]] for i in dumped}
    return {i: np.fromfile(path, kinds[i]) for i, path in dumped.items()}, ""


def as_numbers(values, is_bfloat16):
    return from_bfloat16(values).astype(np.float64) if is_bfloat16 else values.astype(np.float64)


def differences(got, wanted, tolerance, size):
    """The elements that differ, and the largest difference, in units of what is tolerated."""
    kind = wanted.dtype.str[1:]
    exact = got.view("u%d" % got.itemsize) != wanted.view("u%d" % got.itemsize)
    if wanted.dtype.kind == "f":
        exact &= ~(np.isnan(got) & np.isnan(wanted))
    if not tolerance or kind not in TOLERANCE or not exact.any():
        return np.flatnonzero(exact), 0.0
    a, b = as_numbers(got, kind == "u2"), as_numbers(wanted, kind == "u2")
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        allowed = TOLERANCE[kind] * np.maximum(np.abs(b), 0 if size is None else size)
        off = np.where(same, 0, np.abs(a - b) / np.where(allowed > 0, allowed, 2.0 ** -149))
    off[np.isnan(off)] = np.inf
    return np.flatnonzero(off > 1), max(off.max(), 2.0 ** -30)  # 0 and -0 are not the same bits


def compare(smemcalc, run, function, tolerance):
    """A verdict, and what differs."""
    values, sets = run.inputs()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        sizes = function(run, sets, *values) or {}
    with tempfile.TemporaryDirectory() as scratch:
        memory, error = emulate(smemcalc, run, scratch)
    if memory is None:
        return "failed", error
    worst, elements = 0.0, 0
    for i, got in memory.items():
        elements += len(got)
        bad, off = differences(got, values[i], tolerance, sizes.get(i))
        worst = max(worst, off)
        if len(bad):
            first = bad[0]
            return "differs", "argument %d: %d of %d elements; [%d] is %s, not %s" % (
                i + 1, len(bad), len(got), first, got[first], values[i][first])
    if worst == 0:
        return "equal", "%d elements" % elements
    return "close", "%d elements, at most %.2g of what is tolerated" % (elements, worst)


def find(run):
    for (file, entry), found in REFERENCES.items():
        if entry == run.entry and run.file.endswith(file):
            return found
    return None


def main(words):
    smemcalc = "./smemcalc"
    if words[:1] == ["--smemcalc"]:
        smemcalc, words = words[1], words[2:]
    only_choose = words[:1] == ["--choose"]
    words = words[only_choose:]
    if not words:
        sys.exit(__doc__)
    with open(RUNS, encoding="utf-8") as file:
        runs = [Run(line) for line in file if line.strip() and line[0] != "#"]
    for run in runs:
        run.folder = words[0]
    counts, bad = {}, False
    for run in chosen(runs):
        if words[1:] and not any(word in run.entry for word in words[1:]):
            continue
        found = find(run)
        verdict, why = "chosen", ""
        if not only_choose:
            verdict, why = compare(smemcalc, run, *found) if found else ("no reference", "")
        print("\t".join([verdict, run.project, run.file, run.entry, why]), flush=True)
        for name in (run.project, "together"):
            counts.setdefault(name, {}).setdefault(verdict, 0)
            counts[name][verdict] += 1
        bad |= verdict in ("differs", "failed", "no reference")
    print()
    for name in sorted(counts, key=lambda name: (name == "together", name)):
        print("%s: %d kernels, %s" % (name, sum(counts[name].values()), ", ".join(
            "%d %s" % (n, verdict) for verdict, n in sorted(counts[name].items()))))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
