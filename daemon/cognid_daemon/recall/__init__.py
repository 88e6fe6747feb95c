"""The recall room: from a query to hits, and the projections of a bank that this needs.

The bank's rows are the truth; everything here is derived from them and can be rebuilt. Importing
the room imports neither numpy nor the model: the first lexical answer does not wait for them.
"""
