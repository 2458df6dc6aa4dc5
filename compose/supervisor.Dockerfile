# The supervisor alone: no agent code.
FROM python:3.11-slim
WORKDIR /app
RUN pip install --no-cache-dir "uv>=0.9"
COPY pyproject.toml uv.lock README.md ./
RUN uv sync --locked --no-dev --no-install-project --extra supervisor
COPY chat_models chat_models
COPY a2ui_schemas a2ui_schemas
COPY contracts contracts
COPY supervisor supervisor
ENV PATH="/app/.venv/bin:$PATH"
RUN mkdir -p /data
CMD ["python", "-m", "supervisor.cli", "serve"]
