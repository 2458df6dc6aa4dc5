"""What every agent needs: an A2A service around a graph that reads its data through an MCP server of its own."""

import os

# The SDK's own tracing makes 42 spans per call and is read when `a2a` is first imported, so it has to be off before.
os.environ.setdefault("OTEL_INSTRUMENTATION_A2A_SDK_ENABLED", "false")
