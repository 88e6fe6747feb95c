"""The MCP server: an agent's memory for any client of the Model Context Protocol, over stdio.

`cognid mcp serve` runs it, `docs/mcp.md` explains it. It is an ordinary client of the bridge: whose
memory it serves is fixed when its process is started, and what it may do is what its credential may
do. Nothing that a model says can change either.

The SDK comes with the extra `mcp`; only `server.py`, `serving.py` and `dialogue.py` load it.
"""
