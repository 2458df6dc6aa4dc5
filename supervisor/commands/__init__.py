"""What the `switchboard` command does, one file per command. `cli.py` only parses arguments."""
