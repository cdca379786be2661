"""The Python package: its answers are the command line's. tests/python.sh runs it."""
import csv
import ctypes
import inspect
import io
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import smemcalc as sm

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None

PROGRAM = os.environ["SMEMCALC_PROGRAM"]
DATA = os.environ["SMEMCALC_TEST_DATA"]
MANY = int(os.environ.get("SMEMCALC_TEST_LAUNCHES", 100000))


def ask(*words, text=None):
    return subprocess.run([PROGRAM, *words], input=text, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def same(cell, value):
    """A cell of CSV and a value of a column."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return cell == ""
    if isinstance(value, str):
        return cell == value
    return float(cell) == float(f"{value:.10g}")  # as CSV has it


class OneLaunch(unittest.TestCase):
    def test_answer(self):
        answer = sm.occupancy(threads=256, regs=40, smem=12 << 10, device="A100")
        document = json.loads(ask("--threads", "256", "--regs", "40", "--smem", "12K", "--device",
                                  "A100", "--format", "json"))
        of = document["occupancy"]
        self.assertEqual(answer.blocks_per_sm, of["blocks_per_sm"])
        self.assertEqual(answer.percent, of["percent"])
        self.assertEqual(list(answer.limiters), of["limiters"])
        self.assertEqual(dict(answer.limits), of["limits"])
        self.assertEqual(answer.registers_per_block, of["allocated"]["registers_per_block"])
        self.assertEqual(answer.smem_per_block, of["allocated"]["smem_bytes_per_block"])
        self.assertEqual(answer.smem_per_sm, of["carveout_bytes"])
        self.assertEqual([(step.resource, step.change, step.blocks_per_sm)
                          for step in answer.next_steps],
                         [(step["resource"], step["change"], step["blocks_per_sm"])
                          for step in document["next_steps"]])
        self.assertIn("6 blocks per SM, occupancy 75.0 %, limited by registers", repr(answer))
        self.assertIn("width:100%", answer._repr_html_())

    def test_shapes(self):
        self.assertEqual(sm.occupancy((16, 16), 32, device="H200").threads, 256)
        self.assertEqual(sm.occupancy((2, 2, 128), 32, device="H200").refusals, ("block_z",))
        answer = sm.occupancy(128, 32, device="H200", grid=(3, 70000))
        self.assertEqual(answer.refusals, ("grid_y",))
        self.assertIn("refused: a grid of 70000 blocks in y; this device allows 65535", str(answer))
        self.assertIn("refused", answer._repr_html_())
        clustered = sm.occupancy(128, 32, device="H200", cluster=(2, 2))
        self.assertEqual((clustered.resident_clusters, clustered.clusters_are_bound),
                         (248, False))  # in the groups of an H200's SMs
        self.assertIn("; in clusters 992 blocks on the GPU", str(clustered))

    def test_numbers(self):
        self.assertEqual(sm.occupancy(256.0, 32, device=9.0).blocks_per_sm, 8)
        for wrong, error in (("256", TypeError), (0.5, TypeError), (-1, ValueError),
                             (2**32, ValueError), (math.nan, TypeError), ((), ValueError),
                             (0, ValueError), ((16, 0), ValueError), ([32, 0], ValueError)):
            with self.assertRaises(error, msg=repr(wrong)):
                sm.occupancy(wrong, 32, device="H200")
        with self.assertRaisesRegex(ValueError, "grid: 0 is not between 1"):
            sm.occupancy(32, 32, device="H200", grid=0)
        with self.assertRaisesRegex(ValueError, "carveout: 101 is not between"):
            sm.occupancy(32, 32, device="H200", carveout=101)
        with self.assertRaisesRegex(ValueError, "'wrong' is not one of default, portable"):
            sm.occupancy(32, 32, device="H200", smem_mode="wrong")

    def test_devices(self):
        self.assertEqual(sm.device("H200").sm_count, 132)
        self.assertIs(sm.device(sm.device("H200")).sm_count, 132)
        self.assertIsNone(sm.device("9.0").sm_count)
        self.assertEqual(sm.device(12.0), sm.device("12.0"))
        self.assertEqual(sm.device("H200").limit("regs_per_sm"), 65536)
        self.assertGreater(len(sm.devices()), 400)
        with self.assertRaisesRegex(ValueError, "did you mean 'NVIDIA H200'.*smemcalc.devices"):
            sm.device("H2000")
        with self.assertRaises(TypeError):
            sm.device([1])
        with self.assertRaises(AttributeError):
            sm.device("H200").limit("cores")

    def test_best(self):
        pick = random.Random(35)
        for device in ("GTX 980", "V100", "A100", "RTX 4090", "H200", "B200"):
            for _ in range(4):
                regs, smem, each = pick.randint(16, 128), pick.randint(0, 20000), pick.randint(0, 64)
                document = sm.ask("best", regs=regs, smem=smem, smem_per_thread=each, device=device)
                answer = sm.best(regs, smem, smem_per_thread=each, device=device)
                self.assertEqual(answer.threads, document["best"]["proposal"],
                                 (device, regs, smem, each))
                self.assertEqual(answer.blocks_per_sm, document["occupancy"]["blocks_per_sm"])
        with self.assertRaisesRegex(ValueError, "no block size can be launched"):
            sm.best(32, 100000, device="H200")

    def test_limits(self):
        document = json.loads(ask("limits", "--threads", "256", "--device", "H200", "--format",
                                  "json"))
        expected = [(level["blocks_per_sm"], level["most_registers_per_thread"],
                     level["most_dynamic_smem_bytes"]) for level in document["headroom"]["by_blocks"]]
        self.assertEqual([(level.blocks_per_sm, level.regs, level.dynamic_smem)
                          for level in sm.limits(256, device="H200")], expected)
        self.assertEqual({level.regs for level in sm.limits(256, 64, device="H200")}, {64})
        self.assertEqual(sm.limits(2048, device="H200"), [])


class LiveDevice(unittest.TestCase):
    """What the driver of a GPU tells, which need not be in the tables."""

    GPU = {"name": b"NVIDIA H200", "major": 9, "minor": 0, "multiProcessorCount": 60, "warpSize": 32,
           "maxThreadsPerBlock": 1024, "maxThreadsPerMultiProcessor": 2048,
           "maxBlocksPerMultiProcessor": 32, "regsPerBlock": 65536, "regsPerMultiprocessor": 65536,
           "sharedMemPerBlock": 49152, "sharedMemPerBlockOptin": 232448,
           "reservedSharedMemPerBlock": 1024, "sharedMemPerMultiprocessor": 233472,
           "totalGlobalMem": 75 << 30, "l2CacheSize": 31457280, "memoryBusWidth": 3072,
           "maxThreadsDim": (1024, 1024, 64), "maxGridSize": (2147483647, 65535, 65535)}

    def test_part_of_a_gpu(self):
        with mock.patch("smemcalc._device.current_gpu", return_value=self.GPU):
            self.assertEqual(repr(sm.device()), "<Device NVIDIA H200, compute capability 9.0, 60 SMs>")
            self.assertEqual(sm.occupancy(256, 40).resident_blocks, 6 * 60)

    def test_unknown_board(self):
        with mock.patch("smemcalc._device.current_gpu",
                        return_value={**self.GPU, "name": b"NVIDIA H900"}):
            self.assertEqual(sm.occupancy(256, 40).device.name, "NVIDIA H900")

    def test_unknown_capability(self):
        with mock.patch("smemcalc._device.current_gpu", return_value={**self.GPU, "major": 77}):
            with self.assertRaisesRegex(ValueError, "NVIDIA H200: compute capability 77.0 is newer"):
                sm.device()

    def test_none(self):
        with mock.patch("smemcalc._device.current_gpu", return_value=None):
            with self.assertRaisesRegex(ValueError, "no GPU on this machine"):
                sm.device()


class Axes:
    """matplotlib's, as far as they are used."""

    def __init__(self):
        self.lines, self.labels, self.has_legend = [], [], False

    def plot(self, x, y, marker, label):
        self.lines.append((label, list(map(int, x)), [float(value) for value in y]))

    def set_xlabel(self, text):
        self.labels.append(text)

    set_ylabel = set_xlabel

    def legend(self):
        self.has_legend = True


class Plot(unittest.TestCase):
    def test_lines(self):
        axes = sm.sweep(threads=[128, 256], regs=[32, 72], device="H200").plot(ax=Axes())
        self.assertEqual(axes.labels, ["threads", "occupancy_percent"])
        self.assertTrue(axes.has_legend)
        self.assertEqual(axes.lines, [("regs 32", [128, 256], [100.0, 100.0]),
                                      ("regs 72", [128, 256], [43.75, 37.5])])

    def test_one_line(self):
        table = sm.occupancy(threads=[128, 256], regs=72, device="H200")
        axes = table.plot("blocks_per_sm", ax=Axes())
        self.assertEqual((axes.lines, axes.has_legend), ([(None, [128, 256], [7.0, 3.0])], False))
        with self.assertRaisesRegex(ValueError, "no number varies"):
            sm.occupancy(threads=128, regs=72, device=["H200", "A100"]).plot(ax=Axes())

    def test_kernel(self):
        axes = sm.sweep(tile=range(8, 33, 8), device=["H200", "A100"], kernel="matmul-tiled").plot(ax=Axes())
        self.assertEqual(axes.labels[0], "tile")
        self.assertEqual([(label, x) for label, x, _ in axes.lines],
                         [("NVIDIA H200", [8, 16, 24, 32]), ("NVIDIA A100-SXM4-40GB", [8, 16, 24, 32])])


class ManyLaunches(unittest.TestCase):
    def test_command_line(self):
        """As many random launches as asked for, on all architectures, legal and not."""
        pick = random.Random(35)
        boards = ["GTX 580", "K80", "GTX 980", "V100", "T4", "A100", "RTX 4090", "H200", "B200",
                  "RTX 5090"]
        columns = {"threads": (1, 1100), "regs": (0, 255), "smem": (0, 50000),
                   "dynamic_smem": (0, 240000), "carveout": (-1, 100), "barriers": (0, 17)}
        count = MANY // len(boards)
        for board in boards:
            most = sm.device(board).limit("max_regs_per_thread")
            many = {name: [pick.randint(low, min(high, most) if name == "regs" else high)
                           for _ in range(count)] for name, (low, high) in columns.items()}
            many["smem"] = [bytes if pick.random() < .5 else 0 for bytes in many["smem"]]
            many["dynamic_smem"] = [bytes if pick.random() < .5 else 0
                                    for bytes in many["dynamic_smem"]]
            rows = "\n".join(",".join(map(str, row)) for row in zip(*many.values()))
            answers = ask("batch", "-", "--device", board, text=",".join(many) + "\n" + rows + "\n")
            table = sm.occupancy(**many, device=board)
            self.assertEqual(table.row_count, count)
            of_batch = list(csv.DictReader(io.StringIO(answers)))
            self.assertEqual(len(of_batch), count)
            for name in ("blocks_per_sm", "warps_per_sm", "occupancy_percent", "limiters",
                         "limit_warps", "limit_blocks", "limit_registers", "limit_shared_memory",
                         "limit_barriers", "allocated_registers", "allocated_smem", "refusals"):
                wrong = [(index, row[name], value) for index, (row, value)
                         in enumerate(zip(of_batch, table[name])) if not same(row[name], value)]
                self.assertEqual(wrong[:3], [], f"{board}: {name}: {len(wrong)} differ")

    def test_columns(self):
        table = sm.occupancy(threads=range(32, 1025, 32), regs=64, device="H200")
        self.assertEqual(table.row_count, 32)
        self.assertEqual(list(table["blocks_per_sm"])[:2], [32, 16])
        self.assertIn("32 rows", repr(table))
        self.assertIn("<td>", table._repr_html_())
        self.assertEqual(next(table.rows())["limiters"], "registers+blocks")
        each = sm.occupancy([64, 128], [32, 40], device=["A100", "H200"])
        self.assertEqual(list(each["device"]), ["NVIDIA A100-SXM4-40GB", "NVIDIA H200"])
        self.assertEqual([int(n) for n in each["blocks_per_sm"]],
                         [sm.occupancy(64, 32, device="A100").blocks_per_sm,
                          sm.occupancy(128, 40, device="H200").blocks_per_sm])
        some = sm.occupancy(256, 32, device=["H200", "9.0"])  # how many SMs 9.0 has is not known
        self.assertEqual([str(n).replace("None", "nan") for n in some["resident_blocks"]][1], "nan")
        with self.assertRaisesRegex(ValueError, "different lengths"):
            sm.occupancy([32, 64], [1, 2, 3], device="H200")
        self.assertEqual(sm.occupancy([], 32, device="H200").row_count, 0)

    def test_sweep(self):
        table = sm.sweep(threads=range(64, 257, 64), regs=[32, 40], device=["A100", "H200"])
        expected = [sm.occupancy(threads, regs, device=device).blocks_per_sm for device, threads, regs
                    in itertools.product(["A100", "H200"], range(64, 257, 64), [32, 40])]
        self.assertEqual([int(n) for n in table["blocks_per_sm"]], expected)

    @unittest.skipIf(numpy is None, "there is no numpy")
    def test_numpy(self):
        threads = numpy.arange(32, 1025, 32, dtype="u2")
        by_array = sm.occupancy(threads, 64, device="H200")
        by_list = sm.occupancy(threads.tolist(), 64, device="H200")
        self.assertTrue((by_array["blocks_per_sm"] == by_list["blocks_per_sm"]).all())
        self.assertEqual(sm.occupancy(numpy.int64(256), 32, device="H200").blocks_per_sm, 8)
        with self.assertRaisesRegex(TypeError, "not only whole numbers"):
            sm.occupancy(numpy.array([32, math.nan]), 64, device="H200")
        with self.assertRaisesRegex(ValueError, "threads: -1"):
            sm.occupancy(numpy.array([32, -1]), 64, device="H200")

    @unittest.skipIf(pandas is None, "there is no pandas")
    def test_pandas(self):
        frame = sm.sweep(threads=[64, 128], regs=[32.0, 40.0], device="H200").to_pandas()
        self.assertEqual(frame.shape[0], 4)
        again = sm.occupancy(frame.threads, frame.regs, device="H200").to_pandas()
        self.assertEqual(list(again.blocks_per_sm), list(frame.blocks_per_sm))
        some = frame[frame.threads == 128]  # its index does not begin with 0
        table = sm.occupancy(some.threads, some.regs, device="H200")
        self.assertEqual(list(table["blocks_per_sm"]), list(some.blocks_per_sm))
        self.assertIn("2 rows", repr(table))


class Program(unittest.TestCase):
    def test_ask(self):
        document = sm.ask("best", kernel="reverse-dynamic", device="H200")
        self.assertEqual(document["kernel"]["name"], "reverse-dynamic")
        self.assertEqual(sm.ask("query", threads=(16, 16), regs=32, device="H200")["occupancy"]
                         ["blocks_per_sm"], 8)

    def test_sweep_of_a_kernel(self):
        report = sm.sweep(tile=range(8, 33, 8), device="H200", kernel="matmul-tiled")
        self.assertEqual(report["tile"], [8, 16, 24, 32])
        self.assertEqual(report["threads_per_block"], [64, 256, 576, 1024])
        with self.assertRaisesRegex(ValueError, "equal steps"):
            sm.sweep(tile=[1, 2, 4], device="H200")

    def test_banks(self):
        rows = [[lane * stride * 4 for lane in range(32)] for stride in (1, 2, 32, 33)]
        table = sm.banks("ld", rows, device="H200")
        self.assertEqual(table["wavefronts"], [1, 2, 32, 1])
        self.assertEqual(table["conflicts"], [0, 1, 31, 0])
        matrix = sm.banks("ldmatrix.x4", [lane * 16 for lane in range(32)], device="A100")
        self.assertEqual((matrix["wavefronts"], matrix["conflicts"]), ([4], [0]))
        if numpy is not None:
            array = sm.banks("ld", numpy.array(rows), device="H200")
            self.assertEqual(array["wavefronts"], table["wavefronts"])
        with self.assertRaisesRegex(ValueError, "a warp has 32, not 3"):
            sm.banks("ld", [0, 4, 8], device="H200")
        for operation, message in (("ldx", "'ldx' is not one"), ("red.add", "'red.add' is not one")):
            with self.assertRaisesRegex(ValueError, message):
                sm.banks(operation, rows, device="H200")
        with self.assertRaisesRegex(ValueError, "does not exist on .*V100"):
            sm.banks("ldmatrix.x4", rows[0], device="V100")
        with self.assertRaisesRegex(ValueError, r"addresses\[1\]: lane 2: address 6 is not a mult"):
            sm.banks("ld", [[0] * 32, [0, 4, 6, *[0] * 29]], device="H200")
        with self.assertRaisesRegex(ValueError, "not known"):
            sm.banks("atom", [0] * 32, width=8, device="H200")
        with self.assertRaisesRegex(ValueError, "mask 'f' leaves out lanes that give rows"):
            sm.banks("ldmatrix.x1", [0] * 32, mask=15, device="H200")

    def test_banks_of_the_command_line(self):
        random.seed(1)
        rows, lines = [], ["id,op,width,mask," + ",".join(f"a{lane}" for lane in range(32))]
        for operation, width in (("ld", 1), ("ld", 4), ("ld", 16), ("st", 8), ("ldmatrix.x2", 16),
                                 ("stmatrix.x4.trans", 16), ("atom", 4), ("cp.async.ca", 8)):
            for index in range(20):
                row = [random.randrange(256) * width for _ in range(32)]
                mask = 0xFFFFFFFF if "matrix" in operation else random.getrandbits(32)
                rows.append((operation, width, mask, row))
                lines.append(f"{index},{operation},{width},{mask:x}," + ",".join(map(str, row)))
        answers = csv.DictReader(io.StringIO(ask("banks", "--csv", "-", "--device", "H200",
                                                 text="\n".join(lines) + "\n")))
        for (operation, width, mask, row), answer in zip(rows, answers):
            table = sm.banks(operation, row, width=width, mask=mask, device="H200")
            self.assertEqual([table["wavefronts"][0], table["conflicts"][0]],
                             [int(answer["wavefronts"]), int(answer["conflicts"])], operation)

    def test_files(self):
        report = sm.trace(os.path.join(DATA, "trace", "ncu_details.csv"))
        self.assertEqual(report.row_count, len(report.document["kernels"]))
        self.assertIn("occupancy_percent", report)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.txt")
            with open(path, "w", encoding="utf-8") as log:
                log.write("ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
                          "ptxas info    : Used 40 registers, 12288 bytes smem\n")
            found = sm.inspect(path, device="H200", threads=256)
        self.assertEqual((found["name"], found["registers_per_thread"], found["blocks_per_sm"]),
                         (["k(float*)"], [40], [6]))
        with self.assertRaises(sm.ProgramError) as caught:
            sm.inspect("/nonexistent.cu", device="H200")
        self.assertEqual(caught.exception.status, 2)

    def test_missing(self):
        with mock.patch.dict(os.environ, {"PATH": "/nonexistent"}):
            del os.environ["SMEMCALC_PROGRAM"]
            with self.assertRaisesRegex(FileNotFoundError, "needs the program smemcalc.*quickstart"):
                sm.trace("profile.sqlite")
            self.assertEqual(sm.occupancy(256, 32, device="H200").blocks_per_sm, 8)


class Kernels(unittest.TestCase):
    """Objects that look like those of the libraries; the real ones need a GPU."""

    def test_cupy(self):
        kernel = types.SimpleNamespace(attributes={"num_regs": 40, "shared_size_bytes": 12288,
                                                   "max_threads_per_block": 1024})
        self.assertEqual(sm.of(kernel, block=256, device="A100"),
                         sm.occupancy(256, 40, 12288, device="A100"))
        with self.assertRaisesRegex(TypeError, "how many threads"):
            sm.of(kernel, device="A100")

    def test_numba(self):
        class Dispatcher:
            def get_regs_per_thread(self):
                return {("float32",): 24, ("float64",): 40}

            def get_shared_mem_per_block(self):
                return {("float32",): 512, ("float64",): 1024}

        self.assertEqual(sm.of(Dispatcher(), block=128, device="H200"),
                         sm.occupancy(128, 40, 1024, device="H200"))
        empty = types.SimpleNamespace(get_regs_per_thread=dict, get_shared_mem_per_block=dict)
        with self.assertRaisesRegex(ValueError, "not been compiled"):
            sm.of(empty, block=128, device="H200")

    def test_triton(self):
        class Compiled:
            n_regs = None
            metadata = types.SimpleNamespace(
                num_warps=4, shared=49152, num_ctas=1, cluster_dims=(1, 1, 1),
                target=types.SimpleNamespace(backend="cuda", arch=90, warp_size=32))

            def _init_handles(self):
                self.n_regs = 96

        with mock.patch("smemcalc._device.current_gpu", return_value=None):
            answer = sm.of(Compiled())
        self.assertEqual(answer, sm.occupancy(128, 96, dynamic_smem=49152, device="9.0"))
        Compiled.metadata.cluster_dims = (2, 1, 1)
        self.assertEqual(sm.of(Compiled(), device="H200").resident_clusters,
                         sm.occupancy(128, 96, dynamic_smem=49152, cluster=2,
                                      device="H200").resident_clusters)

    def test_cuda_core(self):
        attributes = types.SimpleNamespace(num_regs=lambda device_id=None: 32,
                                           shared_size_bytes=lambda device_id=None: 2048)
        properties = types.SimpleNamespace(num_regs=32, shared_size_bytes=2048)
        for each in (attributes, properties):
            kernel = types.SimpleNamespace(attributes=each)
            self.assertEqual(sm.of(kernel, (32, 4), device="L40S"),
                             sm.occupancy((32, 4), 32, 2048, device="L40S"))

    def test_handle(self):
        asked = []

        def resources(handle):
            asked.append(handle)
            return {"regs": 50, "static_smem": 64}

        with mock.patch("smemcalc._kernels.function_resources", resources):
            answer = sm.of(types.SimpleNamespace(func=ctypes.c_void_p(4096)), 96, device="H200")
        self.assertEqual(asked, [4096])
        self.assertEqual(answer, sm.occupancy(96, 50, 64, device="H200"))

    def test_others(self):
        with self.assertRaisesRegex(TypeError, "object tells neither"):
            sm.of(object(), 128, device="H200")


class Documentation(unittest.TestCase):
    def test_docstrings(self):
        for name in sm.__all__:
            public = getattr(sm, name)
            self.assertTrue(inspect.getdoc(public), name)
            if inspect.isfunction(public):
                given = inspect.signature(public)
                self.assertIsNot(given.return_annotation, inspect.Signature.empty, name)

    def test_version(self):
        self.assertEqual("smemcalc " + sm.__version__, ask("--version").strip())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-q"])
