"""The daemon: one process that keeps a person's memory banks and answers at one Unix socket.

Started as `cognid serve` or `python -m cognid_daemon`; `lifecycle.main` is its only entrance.
"""
