"""The client: `AsyncClient`, and `Client`, its sync face. One connection each, many calls on it.

Owns: trust in the socket, the handshake's caller side, deadlines, and the three fates of a write.
May not know the daemon's insides, and prints nothing.
"""

from cognid.client.arguments import UNSET, Unset
from cognid.client.asynchronous import AsyncClient
from cognid.client.blocking import Client

__all__ = ["UNSET", "AsyncClient", "Client", "Unset"]
