"""The model's runtime tells nobody anything: its telemetry never comes into being."""

import os
import subprocess
import sys
from pathlib import Path

_EMBED = "import cognid_models; assert cognid_models.load().embed_query('who asks?') is not None"


def test_embedding_leaves_no_file_at_home(tmp_path: Path) -> None:
    """After loading and embedding there is no device id and no queue of events to be sent.

    Takes seconds: a fresh process loads the real model.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", _EMBED],
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*")) == []
