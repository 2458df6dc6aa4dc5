"""`python -m agents._template --port N` serves the agent."""

import sys

from agents._template.agent import SPEC
from agents.kit.serve import run

if __name__ == "__main__":
    sys.exit(run(SPEC))
