"""The modules of tools/bench are imported by name, as bench.py does."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/bench"))
