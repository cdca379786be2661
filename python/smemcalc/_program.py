"""Questions for the program smemcalc, which reads sources, machine code and profiles."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._device import Device, DeviceLike, device as find_device
from ._occupancy import occupancy
from ._table import Table


class ProgramError(RuntimeError):
    """The program refused a question; the message is its own."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
        """Its exit status: 2 for wrong usage or bad input, 3 where a feature is missing here, ..."""


class Report(Table):
    """The program's answer: a row for each kernel, and the whole JSON document."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], document: Dict[str, Any]) -> None:
        super().__init__(columns)
        self.document = document
        """As `--format json` prints it; smemcalc-formats(5) describes each key."""


def _find_program() -> str:
    named = os.environ.get("SMEMCALC_PROGRAM")
    found = named or shutil.which("smemcalc")
    if not found:
        raise FileNotFoundError(
            "smemcalc: this needs the program smemcalc, which is not in PATH. Build it with "
            "./quickstart in its source folder and `sudo make -C build install`, or install its "
            "package; SMEMCALC_PROGRAM may hold its path")
    return found


def _run(arguments: Sequence[str], text: Optional[str] = None, quiet: bool = True) -> str:
    """What the program prints. Status 1, a requirement that is not met, is an answer, too."""
    try:
        done = subprocess.run([_find_program(), *arguments], input=text, text=True,
                              stdin=subprocess.DEVNULL if text is None else None,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None)
    except PermissionError as error:
        raise ProgramError(f"smemcalc: {error}", 4) from None
    if done.returncode not in (0, 1) or (done.returncode == 1 and not done.stdout):
        lines = (done.stderr or "").strip().splitlines()
        raise ProgramError(lines[-1] if lines else f"status {done.returncode}", done.returncode)
    return done.stdout


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return "x".join(str(edge) for edge in value)
    return value.name if isinstance(value, Device) else str(value)


def _options(values: Mapping[str, Any]) -> List[str]:
    """--name VALUE for each; True is an option without a value, None and False are left out."""
    words: List[str] = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        each = value if isinstance(value, list) else [value]
        for item in each:
            words += [_option(name)] if item is True else [_option(name), _word(item)]
    return words


def _row(answer: Mapping[str, Any]) -> Dict[str, Any]:
    """The columns of a kernel on a device, from its JSON."""
    kernel, occupied = answer["kernel"], answer["occupancy"]
    row = {"device": answer["device"]["name"]}
    row.update((key, value) for key, value in kernel.items()
               if not isinstance(value, (list, dict)) and value is not None)
    limiters = occupied["limiters"]
    row.update(blocks_per_sm=occupied["blocks_per_sm"], warps_per_sm=occupied["warps_per_sm"],
               occupancy_percent=occupied["percent"],
               limiters=None if limiters is None else "+".join(limiters),
               refusals="+".join(occupied["refusals"] or []))
    time = answer.get("time")
    if time:
        row["predicted_ms"] = time["predicted_ms"]
    return row


def _columns(rows: Sequence[Mapping[str, Any]]) -> Dict[str, List[Any]]:
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    return {name: [row.get(name) for row in rows] for name in names}


def inspect(files: Union[str, Sequence[str]], *, device: Union[DeviceLike, List[DeviceLike]] = None,
            **options: Any) -> Report:
    """The kernels of source files, PTX, machine code, programs or logs, and their occupancy.

    `options` are those of `smemcalc inspect`: inspect("k.cu", device="A100", threads=256) adds
    --threads 256. Sizes are in bytes.
    """
    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    document = ask("inspect", *paths, device=device, **options)
    return Report(_columns([_row(answer) for answer in document["kernels"]]), document)


def trace(what: Union[str, Sequence[str]], *, device: DeviceLike = None, **options: Any) -> Report:
    """The kernels that a profile recorded, or that a program launches, by total time.

    what     a file of Nsight Systems, Nsight Compute or PyTorch; or a list, the program to run and
             its arguments
    options  those of `smemcalc trace`: on="emulator", top="all"
    """
    words = ["trace", "--format", "json", *_options({"device": device, **options})]
    if isinstance(what, (str, os.PathLike)):
        document = json.loads(_run([*words, "--read", os.fspath(what)]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            _run([*words, "--output", report, "--", *map(os.fspath, what)])
            with open(report, encoding="utf-8") as file:
                document = json.load(file)
    rows = []
    for kernel in document["kernels"]:
        row = {key: value for key, value in kernel.items()
               if not isinstance(value, (list, dict))}
        occupied = kernel["occupancy"]
        row.update(grid_dim=_shape(kernel.get("grid_dim")), block_dim=_shape(kernel.get("block_dim")))
        if occupied:
            row.update(blocks_per_sm=occupied["blocks_per_sm"], warps_per_sm=occupied["warps_per_sm"],
                       occupancy_percent=occupied["percent"],
                       limiters="+".join(occupied["limiters"] or []))
        rows.append(row)
    return Report(_columns(rows), document)


def _shape(edges: Optional[Iterable[int]]) -> Optional[str]:
    return None if edges is None else "x".join(map(str, edges))


def ask(command: str, *files: str, **options: Any) -> Dict[str, Any]:
    """What `smemcalc COMMAND` answers, as the JSON document that smemcalc-formats(5) describes.

    ask("best", kernel="matmul-tiled", device="H200"); ask("query", tile=32, device=["A100", "H200"])
    """
    words = [command, *map(os.fspath, files), "--format", "json", *_options(options)]
    document: Dict[str, Any] = json.loads(_run(words))
    return document


_OF_A_LAUNCH = {"threads", "regs", "smem", "dynamic_smem", "carveout", "barriers", "cluster"}


def _axis(name: str, values: Sequence[Any]) -> str:
    """FIRST:LAST:STEP, the program's way to write values."""
    numbers = [int(value) for value in values]
    steps = {after - before for before, after in zip(numbers, numbers[1:])}
    if len(steps) > 1 or (steps and min(steps) <= 0):
        raise ValueError(f"{name}: the values must ascend by equal steps")
    return f"{numbers[0]}:{numbers[-1]}:{steps.pop()}" if steps else str(numbers[0])


def sweep(*, device: Union[DeviceLike, List[DeviceLike]] = None, **values: Any) -> Table:
    """One or more values varied, and devices: a row for each combination.

    sweep(threads=range(32, 1025, 32), regs=[32, 64], device=["A100", "H200"]) is answered by the
    library; sweep(tile=range(4, 33, 4), device="H200") compiles a kernel of the catalog for each
    tile, as `smemcalc sweep` does, whose options these are.
    """
    axes = {name: list(value) for name, value in values.items()
            if hasattr(value, "__iter__") and not isinstance(value, (str, tuple))}
    of = list(device) if isinstance(device, (list, tuple)) else [device]
    if set(values) <= _OF_A_LAUNCH:
        rows = list(itertools.product([find_device(each) for each in of], *axes.values()))
        columns = {name: [row[index] for row in rows] for index, name in enumerate(axes, 1)}
        launch = {"regs": 0, **{name: columns.get(name, value) for name, value in values.items()}}
        return occupancy(**launch, device=[row[0] for row in rows])  # type: ignore[return-value]
    if not axes:
        raise ValueError("no value is varied: give one as a range or a list")
    words = _options({"device": [_word(find_device(each) if each is None else each) for each in of],
                      **{name: value for name, value in values.items() if name not in axes}})
    for name, numbers in axes.items():
        words += [_option(name), _axis(name, numbers)]
    document = json.loads(_run(["sweep", "--format", "json", *words]))
    return Report(_columns([_row(answer) for answer in document["answers"]]), document)
