"""CUDA's driver, where there is one: the GPU, and the resources of a loaded kernel."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Optional, Tuple, Union

# CUfunction_attribute of cuda.h.
_ATTRIBUTES = {"max_threads_per_block": 0, "static_smem": 1, "local_bytes": 3, "regs": 4}


def _driver() -> Optional[ctypes.CDLL]:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return driver if driver.cuInit(0) == 0 else None


# CUdevice_attribute of cuda.h, by the members of struct smc_device_properties.
_LIMITS: Dict[str, Union[int, Tuple[int, ...]]] = {
    "major": 75, "minor": 76, "multiProcessorCount": 16, "warpSize": 10, "maxThreadsPerBlock": 1,
    "maxThreadsPerMultiProcessor": 39, "maxBlocksPerMultiProcessor": 106, "regsPerBlock": 12,
    "regsPerMultiprocessor": 82, "sharedMemPerBlock": 8, "sharedMemPerBlockOptin": 97,
    "reservedSharedMemPerBlock": 111, "sharedMemPerMultiprocessor": 81, "l2CacheSize": 38,
    "memoryBusWidth": 37, "maxThreadsDim": (2, 3, 4), "maxGridSize": (5, 6, 7)}


def current_gpu() -> Optional[Dict[str, Any]]:
    """The members of struct smc_device_properties for the current context's GPU, or the first; None
    without a GPU."""
    driver = _driver()
    if driver is None:
        return None
    gpu, name = ctypes.c_int(0), ctypes.create_string_buffer(256)
    if driver.cuCtxGetDevice(ctypes.byref(gpu)) != 0 and driver.cuDeviceGet(ctypes.byref(gpu), 0) != 0:
        return None
    total = ctypes.c_size_t()
    if (driver.cuDeviceGetName(name, 256, gpu) != 0 or
            driver.cuDeviceTotalMem_v2(ctypes.byref(total), gpu) != 0):
        return None

    def ask(attribute: int) -> int:
        value = ctypes.c_int()
        code = driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, gpu)
        if code != 0:
            raise ValueError(f"cuDeviceGetAttribute of attribute {attribute} fails with {code}")
        return value.value

    found: Dict[str, Any] = {
        member: tuple(map(ask, of)) if isinstance(of, tuple) else ask(of)
        for member, of in _LIMITS.items()}
    return {**found, "name": name.value, "totalGlobalMem": total.value}


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
