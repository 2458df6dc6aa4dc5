# The transport agent alone: no supervisor code, no other agent.
FROM python:3.11-slim
WORKDIR /app
RUN pip install --no-cache-dir "uv>=0.9"
COPY pyproject.toml uv.lock README.md ./
RUN uv sync --locked --no-dev --no-install-project --extra transport
COPY chat_models chat_models
COPY a2ui_schemas a2ui_schemas
COPY contracts contracts
COPY agents/__init__.py agents/__init__.py
COPY agents/kit agents/kit
COPY agents/transport agents/transport
ENV PATH="/app/.venv/bin:$PATH"
CMD ["python", "-m", "agents.transport"]
