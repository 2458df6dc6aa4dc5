"""A small agent that finds things in a table: the start of a new one (`switchboard new-agent NAME --port P`)."""
