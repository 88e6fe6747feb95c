"""The bank room: one encrypted file a bank, its writer and readers, its keys, ledger and check."""
