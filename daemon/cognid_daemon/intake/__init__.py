"""Intake: how what a runtime reports becomes memory, or is refused and says why.

Everything here runs inside one transaction of the bank, on its writer's thread.
"""
