"""`Cognis` and `AsyncCognis`: memory by owner, agent and session, as plain dicts.

The scoping SDK's names and shapes over Cognid's daemon; `docs/cognis.md` is the page, and
`docs/compatibility.md` says where it differs. A client like any other: it holds no memory itself.
"""

from cognid.cognis.faces import AsyncCognis as AsyncCognis
from cognid.cognis.faces import Cognis as Cognis

__all__ = ["AsyncCognis", "Cognis"]
