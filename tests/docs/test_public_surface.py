"""What `import cognid` gives is a promise; a change of it is made on purpose, here too."""

from __future__ import annotations

import subprocess
import sys

import cognid

_SURFACE = {
    "AsyncClient",
    "BankEnsured",
    "BankStatusReply",
    "BankView",
    "Client",
    "CognidError",
    "Committed",
    "Conflict",
    "Credential",
    "DeliveryGap",
    "Disabled",
    "Duplicate",
    "Forgotten",
    "Hit",
    "Hits",
    "IndexView",
    "IntakeOutcome",
    "Kind",
    "Lifecycle",
    "ManagerHandle",
    "MemoryView",
    "NoEffect",
    "NoHits",
    "NotFound",
    "OutcomeUnknownError",
    "Page",
    "Pipeline",
    "Provenance",
    "RecallOutcome",
    "Rejected",
    "Resolution",
    "Right",
    "Role",
    "Shown",
    "StatusReply",
    "UNSET",
    "Unavailable",
    "__version__",
}


def test_the_public_surface_is_frozen() -> None:
    """`cognid.__all__` is exactly what was promised, and each name is there."""
    assert set(cognid.__all__) == _SURFACE
    assert [name for name in cognid.__all__ if not hasattr(cognid, name)] == []


def test_the_light_client_loads_none_of_the_daemons_parts() -> None:
    """Using the client imports neither the daemon nor the model nor what only they need."""
    heavy = "cognid_daemon cognid_models numpy onnxruntime tokenizers sqlcipher3 aiosqlite usearch"
    look = (
        "import sys, cognid; [getattr(cognid, name) for name in cognid.__all__];"
        f"print(*[name for name in {heavy.split()} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.split() == []
