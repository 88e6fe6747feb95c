"""The command line: one file a verb, each an ordinary client of the bridge.

Owns: the command `cognid`. Standard output carries the answer and nothing else; what is said
beside it goes to standard error. Exit statuses: 0 done; 1 answered, but not what was asked for (no
hits, not stored, no such memory, health red); 2 a wrong command line; 64 and above an error, as
`protocol/errors.py` numbers them; 130 interrupted.
"""

from cognid.cli.app import main

__all__ = ["main"]
