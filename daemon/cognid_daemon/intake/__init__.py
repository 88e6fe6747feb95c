"""Intake: how what a runtime reports becomes memory, or is refused and says why.

Two steps. First, before a write is queued: what the filters and the extraction make of a text. That
is pure and may take a while, so it is never done inside a transaction. Then, inside one transaction
of the bank, on its writer's thread: custody, what the conversation withholds, and the commit.
"""
