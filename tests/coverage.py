#!/usr/bin/env python3
"""How much of src the tests ran, by folder and the least covered files, from what gcov counted.

    tests/coverage.py BUILD SOURCE LINES BRANCHES
    tests/coverage.py BUILD SOURCE gpu
        BUILD     a folder that was built with gcc's --coverage and whose tests ran
        SOURCE    the folder of the source tree
        LINES     the least percentage of lines, of all files together
        BRANCHES  the least percentage of branches

The GPU back end (src/hardware/*/gpu*) is left out: it needs a GPU. `gpu` shows it alone, without bars,
once the counters of a run on a GPU lie beside BUILD's objects: results/coverage.txt. Source text counts once, however
often it is compiled: the runtime for each version of CUDA, headers, and macros that make several
functions. Its lines and branches are covered if one of the copies ran them. Branches that only
exceptions of C++ take are left out.

BUILD/uncovered.txt gets the lines that did not run. Why they did not is in tests/coverage.list, which
has a reason for each file with less than 90 % of its lines covered. Exit status 1 if a percentage is
below its bar or such a file has no reason there, 2 if nothing was counted.
"""
import fnmatch
import json
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

GPU_BACK_END = "src/hardware/*/gpu*"
LEAST_OF_FILE = 90  # percent of lines; below, a file has to have a reason


def counters(build):
    """The files of counters that belong to objects of src."""
    found = []
    for folder, _, names in os.walk(build):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".gcda") and "/src/" in path:
                found.append(path)
    return sorted(found)


def files_of(path, build):
    """What gcov says of each source file of an object."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", path],
                          capture_output=True, cwd=build, check=False)
    for line in done.stdout.splitlines():
        if line.startswith(b"{"):
            yield from json.loads(line)["files"]


class File:
    """Lines and branches of a source file, over all objects that it is compiled into."""

    def __init__(self):
        self.lines = defaultdict(bool)   # by number: whether it ran
        self.branches = {}               # by number: which of its branches were taken

    def add(self, counted):
        for line in counted["lines"]:
            number = line["line_number"]
            self.lines[number] |= line["count"] > 0
            taken = [branch["count"] > 0 for branch in line["branches"] if not branch["throw"]]
            known = self.branches.get(number, [])
            if len(taken) > len(known):  # of several copies, the one that was optimized least
                self.branches[number] = taken
            elif len(taken) == len(known):
                self.branches[number] = [a or b for a, b in zip(taken, known)]

    def sums(self):
        branches = [taken for on_line in self.branches.values() for taken in on_line]
        return [sum(self.lines.values()), len(self.lines), sum(branches), len(branches)]

    def uncovered(self):
        return sorted(number for number, ran in self.lines.items() if not ran)


def read(build, source, gpu):
    """The files below SOURCE/src, by their paths: those of the GPU back end, or all others."""
    files = defaultdict(File)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for counted in pool.map(lambda path: list(files_of(path, build)), counters(build)):
            for one in counted:
                path = os.path.relpath(os.path.realpath(os.path.join(build, one["file"])), source)
                if path.startswith("src/") and fnmatch.fnmatch(path, GPU_BACK_END) == gpu:
                    files[path].add(one)
    return files


def read_reasons(path):
    """Patterns of paths and their reasons: a line for each, continued on indented lines."""
    reasons = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            if line[0].isspace():
                reasons[pattern] += " " + line.strip()
            else:
                pattern, reason = line.split(None, 1)
                reasons[pattern] = reason.strip()
    return reasons


def percent(part, whole):
    return 100 * part / whole if whole else 100


def show(name, sums):
    lines, all_lines, branches, all_branches = sums
    print(f"{name:36} lines {lines:6}/{all_lines:<6} {percent(lines, all_lines):5.1f} %  "
          f"branches {branches:6}/{all_branches:<6} {percent(branches, all_branches):5.1f} %")


def show_folders(sums):
    """The folders' sums; returns those of all."""
    folders = defaultdict(lambda: [0, 0, 0, 0])
    for path, of_file in sums.items():
        for folder in (os.path.dirname(path), "all"):
            folders[folder] = [a + b for a, b in zip(folders[folder], of_file)]
    for folder in sorted(folders, key=lambda name: (name == "all", name)):
        show(folder, folders[folder])
    return folders["all"]


def show_least_covered(sums, reasons):
    """Whether each of these files has a reason."""
    complete = True
    print(f"\nfiles with less than {LEAST_OF_FILE} % of their lines:")
    for path in sorted(sums, key=lambda path: percent(*sums[path][:2])):
        if percent(*sums[path][:2]) >= LEAST_OF_FILE:
            continue
        reason = next((text for pattern, text in reasons.items()
                       if fnmatch.fnmatch(path, pattern)), None)
        show(path, sums[path])
        print(f"    {reason or 'NO REASON in tests/coverage.list'}")
        complete &= reason is not None
    print()
    return complete


def write_uncovered(path, files):
    with open(path, "w", encoding="utf-8") as out:
        for name in sorted(files):
            out.writelines(f"{name}:{number}\n" for number in files[name].uncovered())


def main():
    gpu = sys.argv[3:] == ["gpu"]
    if not gpu and len(sys.argv) != 5:
        sys.exit("usage: tests/coverage.py BUILD SOURCE LINES BRANCHES, or BUILD SOURCE gpu")
    build, source = (os.path.realpath(path) for path in sys.argv[1:3])
    bars = [] if gpu else [float(bar) for bar in sys.argv[3:]]
    files = read(build, source, gpu)
    if not files:
        print(f"nothing was counted in {build}: build with --coverage and run the tests first")
        return 2
    write_uncovered(os.path.join(build, "uncovered.txt"), files)
    sums = {path: file.sums() for path, file in files.items()}
    if gpu:
        for path in sorted(sums):
            show(path, sums[path])
        show_folders(sums)
        return 0
    whole = show_folders(sums)
    holds = show_least_covered(sums, read_reasons(os.path.join(source, "tests/coverage.list")))
    for name, bar, seen in zip(("lines", "branches"), bars,
                               (percent(*whole[:2]), percent(*whole[2:]))):
        print(f"{name}: {seen:.2f} %, at least {bar:g} %: {'ok' if seen >= bar else 'FAILED'}")
        holds &= seen >= bar
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
