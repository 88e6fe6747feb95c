"""The default model, loaded once for all tests of this folder."""

import pytest

from cognid_models import Embedder, load


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The real model."""
    return load()
