"""CUDA's driver, where there is one: the name of the GPU, and the resources of a loaded kernel."""

from __future__ import annotations

import ctypes
from typing import Dict, Optional

# CUfunction_attribute of cuda.h.
_ATTRIBUTES = {"max_threads_per_block": 0, "static_smem": 1, "local_bytes": 3, "regs": 4}


def _driver() -> Optional[ctypes.CDLL]:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


def current_gpu_name() -> Optional[str]:
    """Of the current context's GPU, or of the first."""
    driver = _driver()
    if driver is None:
        return None
    gpu, name = ctypes.c_int(0), ctypes.create_string_buffer(256)
    if driver.cuCtxGetDevice(ctypes.byref(gpu)) != 0 and driver.cuDeviceGet(ctypes.byref(gpu), 0) != 0:
        return None
    return name.value.decode() if driver.cuDeviceGetName(name, 256, gpu) == 0 else None


def function_resources(handle: int) -> Dict[str, int]:
    """What the driver tells of a CUfunction, or of a CUkernel, which it accepts as one."""
    driver = _driver()
    if driver is None:
        raise ValueError("the kernel is only a handle, and there is no CUDA driver to ask about it")
    found = {}
    for name, attribute in _ATTRIBUTES.items():
        value = ctypes.c_int()
        code = driver.cuFuncGetAttribute(ctypes.byref(value), attribute, ctypes.c_void_p(handle))
        if code != 0:
            raise ValueError(f"cuFuncGetAttribute of the kernel's handle fails with {code}")
        found[name] = value.value
    return found
