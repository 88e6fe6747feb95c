"""One module a peer, each run under the Python that has that peer; they import nothing of ours but
`measure.peers.serving` and `measure.peers.table`, which need the standard library only."""
