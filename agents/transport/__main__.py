"""`python -m agents.transport --port N` serves the agent."""

import sys

from agents.kit.serve import run
from agents.transport.agent import SPEC

if __name__ == "__main__":
    sys.exit(run(SPEC))
