"""The knowledge family: `unsupported`. It has no read or write path; no memory is promoted."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from cognid.protocol.values import Message, Reply


class Knowledge(Message):
    """Any request to `knowledge.*`; its fields are not looked at."""

    model_config = ConfigDict(extra="ignore")


class Unsupported(Reply):
    """Not in this version."""

    outcome: Literal["unsupported"] = "unsupported"
