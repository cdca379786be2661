"""The occupancy of a kernel that a Python library has compiled."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Union

from ._device import DeviceLike, live_device
from ._driver import function_resources
from ._occupancy import Occupancy, Shape, occupancy


@dataclass
class _Resources:
    """What a compiled kernel says of itself; sizes in bytes."""

    regs: int
    static_smem: int = 0
    dynamic_smem: int = 0
    threads: Optional[Shape] = None
    cluster: Optional[Shape] = None
    capability: Optional[str] = None
    """What it is compiled for, such as "9.0"."""


def _from_triton(kernel: Any) -> Optional[_Resources]:
    """A CompiledKernel, which kernel[grid](...) returns and JITFunction.warmup makes."""
    metadata = getattr(kernel, "metadata", None)
    if metadata is None or not hasattr(metadata, "num_warps"):
        return None
    if getattr(kernel, "n_regs", None) is None and hasattr(kernel, "_init_handles"):
        kernel._init_handles()  # loads the kernel: only then are its registers known
    target = getattr(metadata, "target", None)
    arch = getattr(target, "arch", None)
    warp_size = getattr(target, "warp_size", 32)
    cluster = 1
    for edge in getattr(metadata, "cluster_dims", None) or [getattr(metadata, "num_ctas", 1) or 1]:
        cluster *= edge
    return _Resources(regs=int(kernel.n_regs), dynamic_smem=int(metadata.shared),
                      threads=int(metadata.num_warps) * int(warp_size),
                      cluster=cluster if cluster > 1 else None,
                      capability="%d.%d" % divmod(arch, 10) if isinstance(arch, int) else None)


def _from_cupy(kernel: Any) -> Optional[_Resources]:
    """A RawKernel, whose attributes are cudaFuncGetAttributes'."""
    attributes = getattr(kernel, "attributes", None)
    if not isinstance(attributes, Mapping) or "num_regs" not in attributes:
        return None
    return _Resources(regs=attributes["num_regs"], static_smem=attributes["shared_size_bytes"])


def _from_cuda_core(kernel: Any) -> Optional[_Resources]:
    """A cuda.core Kernel, whose attributes are functions before its version 1, then numbers."""
    attributes = getattr(kernel, "attributes", None)
    regs = getattr(attributes, "num_regs", None)
    smem = getattr(attributes, "shared_size_bytes", None)
    if regs is None or smem is None:
        return None
    return _Resources(regs=regs() if callable(regs) else regs,
                      static_smem=smem() if callable(smem) else smem)


def _from_numba(kernel: Any) -> Optional[_Resources]:
    """A dispatcher: of several signatures, the one with the most registers."""
    if not callable(getattr(kernel, "get_regs_per_thread", None)):
        return None
    regs, smem = kernel.get_regs_per_thread(), kernel.get_shared_mem_per_block()
    if not isinstance(regs, Mapping):
        return _Resources(regs=regs, static_smem=smem)
    if not regs:
        raise ValueError("the Numba kernel has not been compiled yet: launch it once, or give its "
                         "signature")
    signature = max(regs, key=lambda each: regs[each])
    return _Resources(regs=regs[signature], static_smem=smem[signature])


def _from_handle(kernel: Any) -> Optional[_Resources]:
    """Anything with a CUfunction or CUkernel: torch.cuda's compiled kernels have it in `func`."""
    for name in ("func", "function", "handle", "_handle", "ptr"):
        handle = getattr(kernel, name, None)
        if isinstance(handle, ctypes.c_void_p):
            handle = handle.value
        if isinstance(handle, int) and not isinstance(handle, bool) and handle:
            found = function_resources(handle)
            return _Resources(regs=found["regs"], static_smem=found["static_smem"])
    return None


def of(kernel: Any, block: Optional[Shape] = None, *, dynamic_smem: Optional[int] = None,
       grid: Optional[Shape] = None, device: DeviceLike = None) -> Occupancy:
    """The occupancy of a compiled kernel, whose registers and shared memory it tells itself.

    kernel        a CuPy RawKernel, a Numba dispatcher, a Triton compiled kernel, a kernel of
                  torch.cuda._compile_kernel or of cuda.core
    block         threads per block, or the block's shape; Triton's kernels know theirs
    dynamic_smem  bytes of dynamic shared memory at launch; None: none, or what Triton uses
    device        None: this machine's GPU, or where there is none, what the kernel is compiled for
    """
    for read in (_from_triton, _from_cupy, _from_cuda_core, _from_numba, _from_handle):
        found = read(kernel)
        if found is not None:
            break
    else:
        raise TypeError(f"{type(kernel).__name__} tells neither its registers nor a handle to ask "
                        "the driver with: occupancy() takes the numbers")
    threads: Union[Shape, None] = found.threads if block is None else block
    if threads is None:
        raise TypeError("block: how many threads has a block? The kernel does not say")
    if device is None and found.capability is not None:
        device = live_device() or found.capability
    return occupancy(threads, found.regs, found.static_smem, device=device, cluster=found.cluster,
                     grid=grid,
                     dynamic_smem=found.dynamic_smem if dynamic_smem is None else dynamic_smem)
