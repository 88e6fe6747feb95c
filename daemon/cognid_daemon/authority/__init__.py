"""Memory authority: how a person, or a tool with a right of its own, changes what is remembered.

Everything here runs inside one transaction of the bank, on its writer's thread, or in one snapshot.
Nothing said in a conversation comes this way: intake knows none of it.
"""
