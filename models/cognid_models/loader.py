"""Loading: proof first, then the heavy imports, then the model.

Blocks for about a third of a second; the daemon calls it on the model's own thread. It never falls
back to another model.
"""

from pathlib import Path

from cognid_models.embedder import Embedder
from cognid_models.errors import ModelFailedError
from cognid_models.manifest import PACKAGE_FOLDER, read_manifest, verify


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
