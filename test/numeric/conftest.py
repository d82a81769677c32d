import sys

import pytest

from runner import MHA_RUN, ROOT

sys.path.insert(0, str(ROOT / "test"))  # what the lit suite has as well: stages.py


@pytest.fixture(scope="session")
def mha_run():
    """The tests that ask for this need the built tool; without it they fail and say so."""
    if not MHA_RUN.exists():
        pytest.fail(f"no {MHA_RUN}: build the project or set MHA_BUILD_DIR", pytrace=False)
