"""What services promise each other: schemas of the wire, what each agent emits, what each front end renders.

`python -m contracts check` says whether they fit together. This package imports nothing of ours, so that any team can
run it against its own agent or front end.
"""

from contracts.load import schema, validator
from contracts.model import Agent, ContractError, Frontend, Supervisor

__all__ = ["Agent", "ContractError", "Frontend", "Supervisor", "schema", "validator"]
