"""How many blocks of a launch are resident on an SM, and what stops the next one."""

from __future__ import annotations

import ctypes
import html
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, overload

from . import _library as library
from ._device import Device, DeviceLike, device as find_device
from ._table import Table

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

Shape = Union[int, Tuple[int, ...]]
"""A number, or up to three dimensions as a tuple."""
Many = Union[Sequence[Any], "numpy.ndarray[Any, Any]"]
"""A list, a range, an array or a column of a data frame: one launch for each element."""


def _blocks(count: int) -> str:
    return f"{count} block{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class NextStep:
    """The nearest change of a resource that gains or loses a block; all else stays the same."""

    resource: str
    """"threads" per block, "registers" per thread, "shared_memory" bytes per block, "barriers"."""
    change: int
    """What is added; negative: removed."""
    blocks_per_sm: int
    """After the change; 0: the block can no longer be launched."""

    def __str__(self) -> str:
        one = abs(self.change) == 1
        unit = self.resource[:-1] if one else self.resource
        if self.resource == "shared_memory":
            unit = f"byte{'' if one else 's'} of shared memory"
        return f"{self.change:+d} {unit}: {_blocks(self.blocks_per_sm)}"


@dataclass(frozen=True, repr=False)
class Occupancy:
    """The answer about one launch.

    The rules are those of NVIDIA's cuda_occupancy.h (CUDA 13.5) and of the CUDA C++ Programming
    Guide; smemcalc.h names the source of each.
    """

    device: Device
    threads: int
    """Per block."""
    blocks_per_sm: int
    """Resident blocks; 0: the launch is refused."""
    warps_per_sm: int
    percent: float
    """Resident warps, of those that an SM can hold: 0 to 100."""
    limiters: Tuple[str, ...]
    """Every limit that binds: warps, registers, shared_memory, blocks, barriers, ..."""
    limits: Mapping[str, Optional[int]]
    """The blocks that each resource allows; None: it does not limit."""
    refusals: Tuple[str, ...]
    """Why the launch is refused, by the names of smemcalc-formats(5); empty if it is not."""
    reasons: Tuple[str, ...]
    """The refusals in words, with their numbers."""
    registers_per_block: int
    """As allocated, after rounding."""
    smem_per_block: int
    """Bytes as allocated, with the driver's reserve and rounding."""
    smem_per_sm: int
    """Bytes of the SM configured as shared memory."""
    resident_blocks: Optional[int]
    """On the whole GPU; None: its SMs are not known."""
    resident_clusters: Optional[int]
    """On the whole GPU; None: no clusters, or its SMs are not known."""
    clusters_are_bound: bool
    """resident_clusters is an upper bound: how the GPU's SMs are grouped is not known."""
    next_steps: Tuple[NextStep, ...]

    def __str__(self) -> str:
        if self.refusals:
            return f"{self.device.name}: the launch is refused: {'; '.join(self.reasons)}"
        lines = [f"{self.device.name}: {_blocks(self.blocks_per_sm)} per SM, occupancy "
                 f"{self.percent:.1f} %, limited by {' and '.join(map(_label, self.limiters))}"
                 f"{self._clusters()}"]
        return "\n".join([*lines, *(f"  {step}" for step in self.next_steps)])

    __repr__ = __str__

    def _clusters(self) -> str:
        """Of clusters an SM may hold fewer blocks."""
        if self.resident_clusters is None:
            return ""
        return (f"; in clusters {'at most ' if self.clusters_are_bound else ''}"
                f"{self.resident_blocks} blocks on the GPU")

    def _repr_html_(self) -> str:
        """A bar for each limit, the binding ones first in colour."""
        if self.refusals:
            return f"<p>{html.escape(str(self))}</p>"
        limits = [(name, blocks) for name, blocks in self.limits.items() if blocks is not None]
        most = max(blocks for _, blocks in limits)
        rows = []
        for name, blocks in sorted(limits, key=lambda limit: limit[1]):
            colour = "#c44" if name in self.limiters else "#8ab"
            rows.append(f"<tr><td>{_label(name)}</td><td style='width:20em;text-align:left'><div "
                        f"style='background:{colour};width:{100 * blocks / most:.0f}%'>&nbsp;{blocks}"
                        "</div></td></tr>")
        steps = "".join(f"<li>{html.escape(str(step))}</li>" for step in self.next_steps)
        title = html.escape(f"{self.device.name}: {_blocks(self.blocks_per_sm)} per SM, "
                            f"occupancy {self.percent:.1f} %{self._clusters()}")
        return f"<b>{title}</b><table>{''.join(rows)}</table><ul>{steps}</ul>"


@dataclass(frozen=True)
class Level:
    """The most that each block may use if so many blocks are to be resident."""

    blocks_per_sm: int
    warps_per_sm: int
    percent: float
    regs: int
    """Registers per thread."""
    dynamic_smem: int
    """Bytes per block, beside the static ones."""


def _label(name: str) -> str:
    return library.LIMIT_LABELS[library.LIMITS.index(name)]


# --- Launches -------------------------------------------------------------------------------------

_MOST = 2**32 - 1
_MEMBERS = {"threads": "threads_per_block", "regs": "regs_per_thread", "smem": "static_smem_bytes",
            "dynamic_smem": "dynamic_smem_bytes", "carveout": "carveout_percent",
            "barriers": "barriers_per_block", "cluster": "blocks_per_cluster",
            "smem_mode": "smem_mode"}
_DIMENSIONS = {"threads": "block", "cluster": "cluster", "grid": "grid"}


_LEAST = {"carveout": -1, "threads": 1, "grid": 1}
"""Where it is not 0."""


def _integer(name: str, value: Any, least: Optional[int] = None) -> int:
    """A whole number: of any integer type, or a float without a fraction, as data frames have."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        number = number.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{name}: {value!r} is not a whole number") from None
    lowest = _LEAST.get(name, 0) if least is None else least
    highest = 100 if name == "carveout" else _MOST
    if not lowest <= number <= highest:
        raise ValueError(f"{name}: {value!r} is not between {lowest} and {highest}")
    return int(number)


def _mode(name: str) -> int:
    if name not in library.SMEM_MODES:
        raise ValueError(f"smem_mode: {name!r} is not one of {', '.join(library.SMEM_MODES)}")
    return library.SMEM_MODES.index(name)


def _set(launch: Any, name: str, value: Any) -> None:
    """Sets one value of a launch; a tuple is a shape."""
    if name == "smem_mode":
        launch.smem_mode = _mode(value)
        return
    shape: Optional[Tuple[int, ...]] = None
    if not isinstance(value, tuple):
        number = _integer(name, value)
        shape = (number, 1, 1) if name == "grid" else None
    else:
        if not 1 <= len(value) <= 3:
            raise ValueError(f"{name}: {value!r} has not one to three dimensions")
        whole = [_integer(name, edge, least=1) for edge in value]
        shape = (*whole, 1, 1)[:3]
        number = shape[0] * shape[1] * shape[2]
        _integer(name, number)
    if shape and name in _DIMENSIONS:
        for dimension in range(3):
            getattr(launch, _DIMENSIONS[name])[dimension] = shape[dimension]
    if name in _MEMBERS:
        setattr(launch, _MEMBERS[name], number)


def _launch(values: Mapping[str, Any], **flags: bool) -> Any:
    launch = library.Launch()
    library.launch_init(ctypes.byref(launch))
    for name, value in values.items():
        if value is not None:
            _set(launch, name, value)
    for name, flag in flags.items():
        setattr(launch, name, flag)
    return launch


def _check(of: Device, launches: Any, count: int) -> Any:
    """One call of the library for an array of launches."""
    answers = (library.Occupancy * count)()
    sm = ctypes.addressof(of._struct) + type(of._struct).sm.offset
    groups = ctypes.addressof(of._struct) + type(of._struct).sm_groups.offset
    asked = library.Launches(ctypes.sizeof(library.Launches), sm, groups, of._struct.sm_count, count,
                             ctypes.addressof(launches), ctypes.addressof(answers))
    error = library.Error()
    if library.launches_check(ctypes.byref(asked), ctypes.byref(error)) != library.OK:
        raise ValueError(error.message.decode())
    return answers


def _steps(of: Device, launch: Any) -> Tuple[NextStep, ...]:
    found = library.NextSteps()
    library.next_steps_find(ctypes.byref(of._struct.sm), ctypes.byref(launch), ctypes.byref(found))
    return tuple(NextStep(library.STEP_RESOURCES[step.resource], step.change, step.blocks_per_sm)
                 for step in found.step[: found.count])


def _bits(bits: int, names: Sequence[str]) -> Tuple[str, ...]:
    return tuple(name for index, name in enumerate(names) if bits >> index & 1)


def _reasons(of: Device, launch: Any, answer: Any) -> Tuple[str, ...]:
    reasons = []
    for refusal in range(len(library.REFUSALS)):
        if answer.refusals >> refusal & 1:
            text = library.MessageType()
            library.refusal_explain(ctypes.byref(of._struct.sm), ctypes.byref(launch),
                                    ctypes.byref(answer), refusal, text)
            reasons.append(text.value.decode())
    return tuple(reasons)


def _one(of: Device, launch: Any) -> Occupancy:
    answer = _check(of, launch, 1)[0]
    limits = {name: None if blocks == library.UNLIMITED else blocks
              for name, blocks in zip(library.LIMITS, answer.limit)}
    return Occupancy(
        device=of, threads=launch.threads_per_block, blocks_per_sm=answer.blocks_per_sm,
        warps_per_sm=answer.warps_per_sm,
        percent=100.0 * answer.warps_per_sm / of._struct.sm.max_warps_per_sm,
        limiters=_bits(answer.limiters, library.LIMITS), limits=limits,
        refusals=_bits(answer.refusals, library.REFUSALS), reasons=_reasons(of, launch, answer),
        registers_per_block=answer.regs_allocated_per_block,
        smem_per_block=answer.smem_allocated_per_block_bytes,
        smem_per_sm=answer.smem_configured_bytes,
        resident_blocks=answer.resident_blocks if of.sm_count else None,
        resident_clusters=answer.resident_clusters or None,
        clusters_are_bound=answer.clusters_are_bound, next_steps=_steps(of, launch))


# --- Many launches --------------------------------------------------------------------------------


def _is_many(value: Any) -> bool:
    return (hasattr(value, "__len__") or hasattr(value, "__iter__")) and not isinstance(
        value, (str, tuple, Device))


def _view(array: Any, struct: Any) -> Any:
    """The structs of a ctypes array as a numpy record array."""
    formats = {"c_uint": "u4", "c_int": "i4", "c_ulong": "u8", "c_bool": "?"}
    plain = [(name, formats[of.__name__], getattr(struct, name).offset)
             for name, of in struct._fields_ if of.__name__ in formats]
    limit = [(f"limit{i}", "u4", struct.limit.offset + 4 * i)
             for i in range(len(library.LIMITS))] if hasattr(struct, "limit") else []
    names, kinds, offsets = zip(*(plain + limit))
    dtype = numpy.dtype({"names": names, "formats": kinds, "offsets": offsets,
                         "itemsize": ctypes.sizeof(struct)})
    return numpy.frombuffer(array, dtype=dtype)


def _fill(launches: Any, common: Any, many: Mapping[str, Any]) -> None:
    """Every launch is `common` but for what `many` gives."""
    count, size = len(launches), ctypes.sizeof(library.Launch)
    ctypes.memmove(launches, bytes(common) * count, size * count)
    for name, column in many.items():
        array = numpy.asarray(column) if numpy is not None and name in _MEMBERS else None
        if array is None or array.dtype.kind not in "iuf":
            for index, value in enumerate(column):
                _set(launches[index], name, value)
            continue
        # The extremes stand for all, and NaN fails here, too.
        if array.dtype.kind == "f" and not (array == numpy.floor(array)).all():
            raise TypeError(f"{name}: not only whole numbers")
        for extreme in (array.min(), array.max()):
            _integer(name, extreme.item())
        _view(launches, library.Launch)[_MEMBERS[name]] = array


def _answer_column(answers: List[Any], member: str) -> Any:
    """A member of all answers, of which there is an array or one for each launch."""
    if numpy is not None and len(answers) == 1:
        return _view(answers[0], library.Occupancy)[member].astype("i8")
    found = [answer.limit[int(member[len("limit"):])] if member[-1].isdigit() else
             getattr(answer, member) for array in answers for answer in array]
    return found if numpy is None else numpy.array(found, dtype="i8")


def _limit_column(column: Any) -> Any:
    if numpy is None:
        return [None if blocks == library.UNLIMITED else blocks for blocks in column]
    return numpy.where(column == library.UNLIMITED, numpy.nan, column)


def _known_column(column: Any, known: List[bool]) -> Any:
    """Without what is not known: of each launch, or of all."""
    if all(known):
        return column
    if numpy is not None:
        return numpy.where(known, column, numpy.nan)
    known = known * len(column) if len(known) == 1 else known
    return [value if each else None for value, each in zip(column, known)]


def _word_column(bits: Any, names: Sequence[str]) -> Any:
    if numpy is not None:
        known, index = numpy.unique(bits, return_inverse=True)
        words = numpy.array(["+".join(_bits(int(each), names)) for each in known], dtype=object)
        return words[index]
    return ["+".join(_bits(each, names)) for each in bits]


def _table(devices: List[Device], answers: List[Any], given: Dict[str, Any]) -> Table:
    columns: Dict[str, Any] = dict(given)
    for member in ("blocks_per_sm", "warps_per_sm"):
        columns[member] = _answer_column(answers, member)
    most = [of._struct.sm.max_warps_per_sm for of in devices]
    warps = columns["warps_per_sm"]
    if numpy is not None:
        columns["occupancy_percent"] = 100.0 * warps / numpy.array(most)
    else:
        most = most * len(warps) if len(most) == 1 else most
        columns["occupancy_percent"] = [100.0 * n / of for n, of in zip(warps, most)]
    columns["limiters"] = _word_column(_answer_column(answers, "limiters"), library.LIMITS)
    for index, name in enumerate(library.LIMITS):
        columns["limit_" + name] = _limit_column(_answer_column(answers, f"limit{index}"))
    columns["allocated_registers"] = _answer_column(answers, "regs_allocated_per_block")
    columns["allocated_smem"] = _answer_column(answers, "smem_allocated_per_block_bytes")
    columns["resident_blocks"] = _known_column(_answer_column(answers, "resident_blocks"),
                                               [bool(of.sm_count) for of in devices])
    columns["refusals"] = _word_column(_answer_column(answers, "refusals"), library.REFUSALS)
    return Table(columns)


def _column(value: Any) -> Any:
    """Indexed from 0, as a column of a data frame need not be."""
    if hasattr(value, "to_numpy"):
        return value.to_numpy()
    return value if hasattr(value, "__len__") else list(value)


def _many(values: Dict[str, Any], of: Any, **flags: bool) -> Table:
    columns = {name: _column(value) for name, value in values.items() if _is_many(value)}
    names = list(of) if _is_many(of) else None
    lengths = {len(column) for column in [*columns.values(), *([names] if names is not None else [])]}
    if len(lengths) != 1:
        raise ValueError(f"columns of different lengths: {sorted(lengths)}")
    count = lengths.pop()
    common = _launch({name: value for name, value in values.items() if name not in columns}, **flags)
    launches = (library.Launch * count)()
    if count:
        _fill(launches, common, columns)
    if names is None:
        found = [find_device(of)]
        return _table(found, [_check(found[0], launches, count)], columns)
    found = [find_device(name) for name in names]
    answers = [_check(each, launch, 1) for each, launch in zip(found, launches)]
    return _table(found, answers, {"device": [each.name for each in found], **columns})


# --- Questions ------------------------------------------------------------------------------------


@overload
def occupancy(threads: Shape, regs: int, smem: int = ..., *, device: DeviceLike = ...,
              dynamic_smem: int = ..., carveout: Optional[int] = ..., barriers: int = ...,
              cluster: Optional[Shape] = ..., grid: Optional[Shape] = ..., smem_mode: str = ...,
              cooperative: bool = ...) -> Occupancy: ...


@overload
def occupancy(threads: Union[Shape, Many], regs: Union[int, Many], smem: Union[int, Many] = ..., *,
              device: Union[DeviceLike, Sequence[DeviceLike]] = ...,
              dynamic_smem: Union[int, Many] = ..., carveout: Union[int, Many, None] = ...,
              barriers: Union[int, Many] = ..., cluster: Union[Shape, Many, None] = ...,
              grid: Optional[Shape] = ..., smem_mode: str = ...,
              cooperative: bool = ...) -> Union[Occupancy, Table]: ...


def occupancy(threads: Any, regs: Any, smem: Any = 0, *, device: Any = None, dynamic_smem: Any = 0,
              carveout: Any = None, barriers: Any = 1, cluster: Any = None, grid: Any = None,
              smem_mode: str = "default", cooperative: bool = False) -> Any:
    """The blocks of a launch that are resident on one SM.

    threads       threads per block, or the block's shape as a tuple
    regs          registers per thread, as the compiler reports them; 0: not limited by registers
    smem          static shared memory per block, in bytes
    device        a name, a compute capability or a Device; None: this machine's GPU
    dynamic_smem  dynamic shared memory per block, in bytes; above the device's default limit it
                  counts as opted in
    carveout      the preferred share of shared memory, 0 to 100 percent; None: the driver's choice
    barriers      named barriers that a block uses
    cluster       blocks per cluster, or the cluster's shape
    grid          blocks of the launch, or the grid's shape: is it legal, is it resident
    smem_mode     cudaSharedMemoryMode: "default", "portable", "non-portable", "oversized", ...
    cooperative   all blocks of the grid must be resident at a time

    With a list, a range, an array or a column of a data frame for any of them, the answer is a
    Table of as many launches; others stay the same.

    >>> occupancy(256, 40, 12 << 10, device="A100").blocks_per_sm
    6
    """
    values = {"threads": threads, "regs": regs, "smem": smem, "dynamic_smem": dynamic_smem,
              "carveout": carveout, "barriers": barriers, "cluster": cluster, "grid": grid,
              "smem_mode": smem_mode}
    if _is_many(device) or any(_is_many(value) for value in values.values()):
        return _many(values, device, is_cooperative=cooperative)
    return _one(find_device(device), _launch(values, is_cooperative=cooperative))


def limits(threads: Shape, regs: Optional[int] = None, smem: int = 0, *, device: DeviceLike = None,
           dynamic_smem: Optional[int] = None, barriers: int = 1,
           carveout: Optional[int] = None) -> List[Level]:
    """For each number of blocks per SM, the most registers and dynamic shared memory per block.

    `regs` and `dynamic_smem` are searched, each alone, unless they are given. Empty if not even one
    block fits. Units are those of `occupancy`.
    """
    of = find_device(device)
    launch = _launch({"threads": threads, "regs": regs, "smem": smem, "dynamic_smem": dynamic_smem,
                      "barriers": barriers, "carveout": carveout})
    found = library.Headroom()
    fixed = library.Fixed(regs is not None, dynamic_smem is not None)
    library.headroom_find(ctypes.byref(of._struct.sm), ctypes.byref(launch), fixed,
                          ctypes.byref(found))
    return [Level(level.blocks_per_sm, level.warps_per_sm, level.percent, level.regs_per_thread,
                  level.dynamic_smem_bytes) for level in found.level[: found.count]]


def best(regs: int, smem: int = 0, *, device: DeviceLike = None, dynamic_smem: int = 0,
         smem_per_thread: int = 0, barriers: int = 1, carveout: Optional[int] = None) -> Occupancy:
    """The answer about the block size that suits these resources best: its `threads`, and the rest.

    The rules are those of `smemcalc best`: the most resident warps (sizes within 5 % count as
    equal), then the most compute capabilities that can launch it, then 128 threads or more, the most
    blocks, and the most threads. `smem_per_thread` bytes of dynamic shared memory are added to
    `dynamic_smem` for each thread. Units are those of `occupancy`.
    """
    of = find_device(device)
    each = _integer("smem_per_thread", smem_per_thread)
    launch = _launch({"threads": 1, "regs": regs, "smem": smem, "dynamic_smem": dynamic_smem + each,
                      "barriers": barriers, "carveout": carveout})
    launch.smem_bytes_per_thread = each
    found, error = library.Launch(), library.Error()
    if library.best_block_find(ctypes.byref(of._struct.sm), ctypes.byref(launch),
                               ctypes.byref(found), ctypes.byref(error)) != library.OK:
        raise ValueError(error.message.decode())
    return _one(of, found)
