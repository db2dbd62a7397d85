"""The gallery runs, and its page shows every picture without the network."""

import importlib.util
import pathlib
import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "gallery.py"


def test_the_gallery_tells_six_stories(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("gallery", SCRIPT)
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    before = matplotlib.rcParams.copy()
    plt.close("all")
    gallery.main(["--quick", "--out", str(tmp_path)])
    assert matplotlib.rcParams == before and not plt.get_fignums()
    page = (tmp_path / "index.html").read_text()
    told = capsys.readouterr().out
    pictures = re.findall(r"<img src='([^']+)'", page)
    assert len(pictures) == len(gallery.STORIES) == 6
    for picture in pictures:
        pixels = plt.imread(tmp_path / picture)
        assert pixels.shape[1] == 1210 and pixels.std() > 0.05
    assert not re.search("https?:|<script", page)
    # What the captions say is computed: the numbers that show whether the stories hold.
    assert float(re.search(r"off by (\S+) cycles", told)[1]) < 0.005
    assert float(re.search(r"blocks, overshoot (\S+)\.\n", told)[1]) < 0.03
    assert "not reached" not in told
