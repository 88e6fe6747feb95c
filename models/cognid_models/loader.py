"""Loading: proof first, then the heavy imports, then the model.

Blocks for about a third of a second; the daemon calls it on the model's own thread. It never falls
back to another model.
"""

import os
from pathlib import Path

from cognid_models.embedder import Embedder
from cognid_models.errors import ModelFailedError
from cognid_models.manifest import PACKAGE_FOLDER, read_manifest, verify

# onnxruntime (seen in 1.32) keeps a device id and a queue of events under ~/.cache and sends them
# over HTTPS, unless this stands in the environment before its library is loaded (its Privacy.md);
# its disable_telemetry_events() comes too late for the device id. Set here, while the process is
# still starting: a later setenv could meet another thread's getenv.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def load(folder: Path | None = None) -> Embedder:
    """Load the model that lies in `folder`, or the package's own.

    Raises:
        ModelMissingError: a file is not there.
        ModelChangedError: a file is not the one its manifest names.
        ModelFailedError: the runtime is missing or refuses the model.
    """
    place = PACKAGE_FOLDER if folder is None else folder
    manifest = read_manifest(place)
    verify(place, manifest)
    try:
        from cognid_models.onnx_embedder import OnnxEmbedder
    except ImportError as error:
        raise ModelFailedError("load", f"{error.name} cannot be imported") from error
    return OnnxEmbedder(place, manifest)
