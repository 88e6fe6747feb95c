"""`python -m cognid_daemon`: the same as `cognid serve`."""

from __future__ import annotations

import sys

from cognid_daemon.lifecycle import main

sys.exit(main())
