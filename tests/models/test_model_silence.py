"""The model's runtime tells nobody anything: its telemetry never comes into being."""

from pathlib import Path

from support.fresh_home import run_in_fresh_home

_EMBED = "import cognid_models; assert cognid_models.load().embed_query('who asks?') is not None"


def test_embedding_leaves_no_file_at_home(tmp_path: Path) -> None:
    """After loading and embedding there is no device id and no queue of events to be sent.

    Takes seconds: a fresh process loads the real model.
    """
    done = run_in_fresh_home(_EMBED, tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*")) == []
