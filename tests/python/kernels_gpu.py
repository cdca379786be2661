"""smemcalc.of against the driver, for kernels of each Python library that is installed, on a GPU.

Unpack the wheel of `make python`, and with its folder in PYTHONPATH: python3 kernels_gpu.py
"""
import ctypes
import random
import sys
import tempfile
import traceback

import smemcalc as sm

SOURCE = r"""
extern "C" __global__ void k(float *x, int n)
{
    __shared__ float part[1024];
    extern __shared__ float more[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x % 1024] = x[i % n];
    more[threadIdx.x] = x[(i + 1) % n];
    __syncthreads();
    float s = 0;
    for (int j = 0; j < 64; j++)
        s += part[(threadIdx.x + j) % 1024] * more[(threadIdx.x * 3 + j) % blockDim.x];
    x[i % n] = s;
}
"""
driver = ctypes.CDLL("libcuda.so.1")
failed = []


def resident(handle, threads, dynamic):
    """What the driver answers."""
    blocks = ctypes.c_int(-1)
    if dynamic > 48 << 10:
        driver.cuFuncSetAttribute(ctypes.c_void_p(handle), 8, dynamic)
    code = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
        ctypes.byref(blocks), ctypes.c_void_p(handle), threads, ctypes.c_size_t(dynamic))
    return blocks.value if code == 0 else f"error {code}"


def compare(name, kernel, handle, cases):
    for threads, dynamic in cases:
        answer = sm.of(kernel, threads, dynamic_smem=dynamic)
        expected = resident(handle, threads, dynamic)
        good = answer.blocks_per_sm == expected
        print(f"{name}: {threads} threads, {dynamic} bytes: {answer.blocks_per_sm}, driver {expected}"
              f"{'' if good else '  DIFFERS'}; {answer.registers_per_block} registers, "
              f"{answer.smem_per_block} bytes a block")
        if not good:
            failed.append(name)


def compare_at_random(name, kernel, handle, count):
    """Only asks: nothing is launched."""
    numbers = random.Random(35)
    wrong = 0
    for _ in range(count):
        threads, dynamic = numbers.randint(1, 1024), numbers.choice((0, numbers.randint(0, 220 << 10)))
        answer = sm.of(kernel, threads, dynamic_smem=dynamic)
        expected = resident(handle, threads, dynamic)
        refused = answer.blocks_per_sm == 0 and isinstance(expected, str)
        if answer.blocks_per_sm != expected and not refused:
            wrong += 1
            print(f"{name}: {threads} threads, {dynamic} bytes: {answer.blocks_per_sm}, driver {expected}")
    print(f"{name}: {wrong} of {count} random launches differ")
    if wrong:
        failed.append(name)


def live_device():
    """The limits that the driver tells are those of the table."""
    live, known = sm.device(), sm.device(sm.device().name)
    print(live, "live;", known, "in the table")
    for member, *_ in sm._library.MEMBERS["smc_sm"]:
        if member not in ("reserved", "smem_carveout_bytes") and live.limit(member) != known.limit(member):
            failed.append(f"device {member}")
            print(f"{member}: {live.limit(member)}, in the table {known.limit(member)}")


CASES = [(32, 128), (128, 512), (256, 1024), (512, 65536), (1024, 100000), (96, 20000)]


def cupy_kernel():
    import cupy
    kernel = cupy.RawKernel(SOURCE, "k")
    x = cupy.zeros(4096, dtype=cupy.float32)
    kernel((4,), (128,), (x, numpy_int(4096)), shared_mem=512)
    compare(f"cupy {cupy.__version__}", kernel, kernel.kernel.ptr, CASES)
    compare_at_random(f"cupy {cupy.__version__}", kernel, kernel.kernel.ptr, 2000)


def numpy_int(n):
    import numpy
    return numpy.int32(n)


def numba_kernel():
    import numpy
    if not hasattr(numpy, "row_stack"):  # removed from numpy 2.5, which this numba does not know
        numpy.row_stack = numpy.vstack
    if not hasattr(numpy, "in1d"):
        numpy.in1d = numpy.isin
    if not hasattr(numpy, "trapz"):
        numpy.trapz = numpy.trapezoid
    import numba
    from numba import cuda, float32

    @cuda.jit
    def k(x):
        part = cuda.shared.array(1024, float32)
        i = cuda.grid(1)
        part[cuda.threadIdx.x] = x[i % x.size]
        cuda.syncthreads()
        s = 0.0
        for j in range(64):
            s += part[(cuda.threadIdx.x + j) % 1024]
        x[i % x.size] = s

    import numpy
    x = cuda.to_device(numpy.zeros(4096, dtype=numpy.float32))
    k[4, 128](x)
    cuda.synchronize()
    compiled = next(iter(k.overloads.values()))
    function = compiled._codelibrary.get_cufunc()
    handle = function.handle
    handle = int(getattr(handle, "value", handle))
    compare(f"numba {numba.__version__}", k, handle, [(t, 0) for t, _ in CASES])


TRITON = '''
import triton
import triton.language as tl

@triton.jit
def mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        acc += tl.dot(tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]))
    tl.store(c + m[:, None] * N + n[None, :], acc)
'''


def triton_kernel():
    import importlib.util
    import torch
    import triton
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(TRITON)
    spec = importlib.util.spec_from_file_location("mm_module", file.name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(512, 512, device="cuda", dtype=torch.float32)
    for (bm, bn, bk), warps in (((64, 64, 32), 4), ((128, 128, 64), 8), ((128, 64, 32), 4)):
        compiled = module.mm[(512 // bm, 512 // bn)](a, b, c, 512, 512, 512, bm, bn, bk,
                                                     num_warps=warps)
        answer = sm.of(compiled)
        expected = resident(int(compiled.function), 32 * warps, compiled.metadata.shared)
        good = answer.blocks_per_sm == expected
        print(f"triton {triton.__version__}: {bm}x{bn}x{bk}, {warps} warps: {answer.blocks_per_sm}, "
              f"driver {expected}{'' if good else '  DIFFERS'}; n_regs {compiled.n_regs}, shared "
              f"{compiled.metadata.shared}, threads {answer.threads}")
        if not good:
            failed.append("triton")
    warm = module.mm.warmup(torch.float16, torch.float16, torch.float32, 512, 512, 512, 64, 64, 32,
                            grid=(8, 8))
    print("triton warmup:", sm.of(warm).blocks_per_sm, "of", type(warm).__name__)


def torch_kernel():
    import torch
    kernel = torch.cuda._compile_kernel(SOURCE.replace("extern __shared__ float more[];",
                                                       "__shared__ float more[1024];"), "k")
    x = torch.zeros(4096, device="cuda")
    kernel((4, 1, 1), (128, 1, 1), (x, 4096))
    handle = kernel.func
    handle = int(getattr(handle, "value", handle))
    compare(f"torch {torch.__version__}", kernel, handle, [(t, 0) for t, _ in CASES])


def core_kernel():
    try:
        from cuda.core import Device, Program, ProgramOptions
    except ImportError:
        from cuda.core.experimental import Device, Program, ProgramOptions
    device = Device()
    device.set_current()
    arch = "".join(map(str, device.compute_capability))
    kernel = Program(SOURCE, code_type="c++", options=ProgramOptions(arch=f"sm_{arch}")).compile(
        "cubin").get_kernel("k")
    for threads, dynamic in CASES[:3]:
        answer = sm.of(kernel, threads, dynamic_smem=dynamic)
        expected = kernel.occupancy.max_active_blocks_per_multiprocessor(threads, dynamic)
        print(f"cuda.core: {threads} threads: {answer.blocks_per_sm}, driver {expected}")
        if answer.blocks_per_sm != expected:
            failed.append("cuda.core")


print(sm.device(), sm.__version__)
for check in (live_device, cupy_kernel, numba_kernel, triton_kernel, torch_kernel, core_kernel):
    try:
        check()
    except ModuleNotFoundError as missing:
        print(f"{check.__name__}: {missing}")
    except Exception:
        traceback.print_exc(file=sys.stdout)
        failed.append(check.__name__)
    sys.stdout.flush()
print("failed:", failed or "none")
sys.exit(bool(failed))
