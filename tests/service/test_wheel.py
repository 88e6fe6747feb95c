"""The built wheel: what it carries, and that it works alone, without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from support.wheel import ROOT, make_environment

# Every module of the caller's side, imported where only its own requirements are; three are the
# edge to the SDK of the extra `mcp`, and one to pytest.
IMPORT_ALL = """
import importlib, pkgutil, sys
import cognid
extras = {"cognid.mcp.dialogue", "cognid.mcp.server", "cognid.mcp.serving", "cognid.testing"}
for module in pkgutil.walk_packages(cognid.__path__, "cognid."):
    if module.name not in extras:
        importlib.import_module(module.name)
heavy = {"aiosqlite", "cryptography", "numpy", "onnxruntime", "sqlcipher3", "tokenizers", "usearch"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
assert not any(name.startswith(("cognid_daemon", "cognid_models")) for name in sys.modules)
print(cognid.__file__)
"""


def without_network() -> list[str]:
    """Give the words that run a program where there is no network at all."""
    command = ["unshare", "--net", "--"]
    if os.geteuid() != 0:
        command = ["unshare", "--map-root-user", "--net", "--"]
    if shutil.which("unshare") is None:
        pytest.skip("no way to take the network away: unshare is not installed")
    if subprocess.run([*command, "true"], capture_output=True, timeout=10).returncode != 0:
        pytest.skip("no way to take the network away: namespaces are refused")
    return command


def test_the_wheel_carries_what_it_needs_and_no_more(wheel: Path) -> None:
    """Model, notice, types, service files and licence are in it; tests and scripts are not."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    roots = {name.split("/")[0] for name in names}
    (information,) = (root for root in roots if root.endswith(".dist-info"))
    assert roots == {"cognid", "cognid_daemon", "cognid_models", information}
    assert {
        "cognid/py.typed",
        "cognid_daemon/py.typed",
        "cognid_models/py.typed",
        "cognid_models/NOTICE",
        "cognid_models/manifest.toml",
        "cognid_models/e5-small-v2.nb8.onnx",
        "cognid_models/tokenizer.json",
        "cognid/service/units/systemd/user/cognid.socket",
        "cognid/service/units/systemd/user/cognid.service",
        "cognid/service/units/systemd/user/cognid.service.d/no-namespaces.conf",
        "cognid/service/units/systemd/system/cognid@.service",
        "cognid/service/units/launchd/ai.cognid.daemon.plist",
        f"{information}/licenses/LICENSE",
    } <= names
    strays = {
        name for name in names if name.endswith(".pyc") or "/tests/" in name or "/test_" in name
    }
    assert not strays


def test_the_base_install_is_the_callers_side_alone(wheel: Path, tmp_path: Path) -> None:
    """Without the extra every module of `cognid` imports; the daemon says what is missing."""
    python = make_environment(tmp_path / "base", wheel)
    done = subprocess.run(
        [python, "-I", "-c", IMPORT_ALL], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    for words in (["serve"], ["service", "install"]):
        refused = subprocess.run(
            [python.parent / "cognid", *words], capture_output=True, text=True, timeout=30
        )
        assert refused.returncode != 0
        assert "cognid[daemon]" in refused.stderr
        assert "Traceback" not in refused.stderr


def test_the_wheel_does_its_main_job_without_a_network(wheel: Path, tmp_path: Path) -> None:
    """In an empty environment, with no network, the demo remembers, restarts and recalls."""
    command = without_network()
    python = make_environment(tmp_path / "full", wheel, ["daemon"])
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    # Nothing of this checkout but the demo itself: its modules come from the wheel.
    script = "import runpy, sys; sys.path.insert(0, sys.argv[1]); import cognid; "
    script += "assert 'site-packages' in cognid.__file__; "
    script += "runpy.run_path(sys.argv[1] + '/demo_run.py', run_name='__main__')"
    done = subprocess.run(
        [*command, python, "-I", "-c", script, ROOT / "scripts"],
        capture_output=True,
        text=True,
        timeout=55,
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no nuts in the cake" in done.stdout
