"""The device that a question is about: a board, a compute capability, or this machine's GPU."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, List, Optional, Union

from . import _library as library
from ._driver import current_gpu


class Device:
    """A GPU and the limits of its SMs.

    Made by `device`. `limit` reads any member of `struct smc_sm` (smemcalc(3)), such as
    `limit("regs_per_sm")`; the limits equal NVIDIA's cuda_occupancy.h (CUDA 13.5) and the table
    "Technical Specifications per Compute Capability" of the CUDA C++ Programming Guide.
    """

    __slots__ = ("_struct", "note")

    def __init__(self, struct: Any, note: str = "") -> None:
        self._struct = struct
        self.note = note
        """Which board was chosen where a name fits several; "" if the name is exact."""

    @property
    def name(self) -> str:
        """NVIDIA's name, such as "NVIDIA H200"."""
        return bytes(self._struct.name).decode()

    @property
    def compute_capability(self) -> str:
        """Such as "9.0"."""
        return "%d.%d" % divmod(self._struct.sm.cc, 10)

    @property
    def sm_count(self) -> Optional[int]:
        """The GPU's SMs; None for a bare compute capability."""
        return self._struct.sm_count or None

    def limit(self, member: str) -> int:
        """A limit of an SM, by its name in `struct smc_sm`; sizes are in bytes."""
        if member == "reserved" or not hasattr(self._struct.sm, member):
            raise AttributeError(f"struct smc_sm has no member {member!r}")
        return int(getattr(self._struct.sm, member))

    def __repr__(self) -> str:
        sms = f", {self.sm_count} SMs" if self.sm_count else ""
        return f"<Device {self.name}, compute capability {self.compute_capability}{sms}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and bytes(self._struct) == bytes(other._struct)

    def __hash__(self) -> int:
        return hash(bytes(self._struct))


DeviceLike = Union[Device, str, float, None]


@functools.lru_cache(maxsize=256)
def _find(text: str) -> Device:
    struct, error, note = library.Device(), library.Error(), library.MessageType()
    status = library.device_find(text.encode(), ctypes.byref(struct), note, ctypes.byref(error))
    if status != library.OK:
        message = error.message.decode().replace("smc_device_at lists", "smemcalc.devices() lists")
        raise ValueError(message)
    return Device(struct, note.value.decode())


def live_device() -> Optional[Device]:
    """This machine's GPU with the limits that the driver tells; None: there is none."""
    gpu = current_gpu()
    if gpu is None:
        return None
    properties = library.DeviceProperties(size=ctypes.sizeof(library.DeviceProperties))
    for member, value in gpu.items():
        if isinstance(value, tuple):
            getattr(properties, member)[:] = value
        else:
            setattr(properties, member, value)
    struct, error = library.Device(), library.Error()
    if library.device_of_properties(ctypes.byref(properties), ctypes.byref(struct),
                                    ctypes.byref(error)) != library.OK:
        raise ValueError(f"{gpu['name'].decode()}: {error.message.decode()}")
    return Device(struct)


def device(of: DeviceLike = None) -> Device:
    """The device of a name or a compute capability.

    A name is a board's or some words of it ("H200", "rtx4090", "a100-80gb"), or a compute
    capability ("9.0", "sm_90", 9.0). None is the GPU of this machine that CUDA uses by default, with
    the limits and the SMs that its driver tells.
    """
    if isinstance(of, Device):
        return of
    if of is None:
        live = live_device()
        if live is None:
            raise ValueError("no GPU on this machine: name one, as in device='H200'")
        return live
    if isinstance(of, (int, float)) and not isinstance(of, bool):
        return _find(f"{of:.1f}" if of < 20 else f"{of:g}")
    name = of if isinstance(of, str) else getattr(of, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"device: {of!r} is neither a name nor a compute capability")
    return _find(name)


def devices() -> List[str]:
    """The names of the boards that are known, by compute capability and release."""
    struct, names = library.Device(), []
    for index in range(library.device_count()):
        library.device_at(index, ctypes.byref(struct))
        names.append(struct.name.decode())
    return names
