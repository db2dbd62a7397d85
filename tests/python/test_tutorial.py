"""The tutorial docs/python.md runs as it stands, and prints what it says, up to differences between machines.

    python tests/python/test_tutorial.py    writes the outputs anew
"""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

import rfnn

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n", re.M | re.S)
NUMBER = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def outputs(page):
    """Runs the blocks python and sh in order, in the current folder; gives the place of each and what it printed."""
    names = {"__name__": "__main__"}
    for fence in FENCE.finditer(page):
        language, code = fence.groups()
        printed = io.StringIO()
        if language == "python":
            line = page[: fence.start(2)].count("\n")
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * line + code, PAGE, "exec"), names)
        elif language == "sh":
            program = os.environ.get("RFNN_CLI")
            path = os.pathsep.join([str(pathlib.Path(program).parent)] * bool(program) + [os.environ["PATH"]])
            done = subprocess.run(["bash", "-e", "-c", code], check=True, text=True, stdout=subprocess.PIPE,
                                  env={**os.environ, "PATH": path})  # fmt: skip
            printed.write(done.stdout)
        else:
            continue
        yield fence.end(), printed.getvalue()


def agree(said, printed):
    """The same words with about the same numbers: last digits follow the machine."""
    words = [re.sub(r"[\s-]+", " ", NUMBER.sub("#", text)).strip() for text in (said, printed)]
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (said, printed)]
    near = all(abs(a - b) <= 0.1 * max(abs(a), abs(b)) + 0.02 for a, b in zip(*numbers))
    return words[0] == words[1] and len(numbers[0]) == len(numbers[1]) and near


def shown_after(page, place):
    """The block text that stands directly after a place, or None."""
    fence = FENCE.match(page, place)
    return fence if fence and fence[1] == "text" else None


def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text()
    shown = 0
    for place, printed in outputs(page):
        said = shown_after(page, place)
        line = page[:place].count("\n")
        if said is None:
            assert not printed, f"line {line}: an output is not shown: {printed}"
        else:
            assert agree(said[2], printed), f"line {line} says\n{said[2]}\nbut prints\n{printed}"
            shown += 1
    assert shown > 10
    assert {path.name for path in tmp_path.iterdir()} >= {"tide.rfnn", "tide.html", "tide.png"}


def test_the_example_of_the_readme_runs():
    import matplotlib

    matplotlib.use("Agg")
    (code,) = [fence[2] for fence in FENCE.finditer((PAGE.parents[1] / "README.md").read_text()) if fence[1] == "python"]
    names = {}
    exec(code, names)
    assert names["model"].score(names["X"], names["y"]) > 0.99


def test_the_comparison_notices_other_numbers_and_words():
    assert agree("R² 0.998, 3 blocks\n", "R² 0.997, 3 blocks\n")
    assert not agree("R² 0.998\n", "R² 0.5\n")
    assert not agree("R² 0.998\n", "MSE 0.998\n")
    assert not agree("1 2\n", "1 2 3\n")


def test_the_reference_is_current_and_has_every_public_name():
    pytest.importorskip("distributed", reason="the reference has rfnn.dask, and dask.distributed is not installed")
    script = PAGE.parents[1] / "scripts" / "python-api.py"
    spec = importlib.util.spec_from_file_location("python_api", script)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    text = (PAGE.parent / "python-api.md").read_text()
    assert text == reference.page(), f"run {script.name}"
    fences = re.findall(r"^`+\w*$", text, re.M)
    assert {fence.rstrip("abcdefghijklmnopqrstuvwxyz") for fence in fences} == {"```"} and "```pycon" in fences
    assert fences[1::2] == ["```"] * (len(fences) // 2)
    modules = {"plots": rfnn.plots.__all__, "datasets": rfnn.datasets.__all__}
    names = [name for name in rfnn.__all__ if name not in modules]
    names += [f"{module}.{name}" for module, inside in modules.items() for name in inside if name.islower()]
    for name in names:
        assert f"### rfnn.{name}\n" in text


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    text = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        found = list(outputs(text))
        for path in pathlib.Path(folder).iterdir():
            print(path.name, path.stat().st_size, file=sys.stderr)
    for place, printed in reversed(found):
        said = shown_after(text, place)
        block = f"```text\n{printed}```\n" if printed else ""
        text = text[:place] + block + text[said.end() if said else place :]
    PAGE.write_text(text)
