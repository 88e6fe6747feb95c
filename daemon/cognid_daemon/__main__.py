"""`python -m cognid_daemon`: the same as `cognid serve`; it takes no arguments."""

from __future__ import annotations

import sys

_USAGE = "usage: python -m cognid_daemon    runs the daemon; `cognid --help` has the rest\n"

if len(sys.argv) > 1:
    # Before the daemon is imported: whoever asks for help must not have started one.
    wants_help = sys.argv[1] in ("-h", "--help")
    (sys.stdout if wants_help else sys.stderr).write(_USAGE)
    sys.exit(0 if wants_help else 2)

from cognid_daemon.lifecycle import main  # noqa: E402  # only now: see above

sys.exit(main())
