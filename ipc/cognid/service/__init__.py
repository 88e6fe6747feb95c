"""The daemon as a service of the person's own service manager: systemd or launchd.

`units` fills the templates of `packaging/`, `systemd` and `launchd` install, remove and look at
them, `report` holds what they say. Nothing here talks to the bridge, and nothing asks for root.
"""
