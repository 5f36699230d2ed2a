# The service as an image; `docker compose up` gives it a Neo4j. The viewer is built while the package is installed.
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md hatch_build.py ./
COPY schema schema
COPY extraction extraction
COPY graph_service graph_service
COPY web_viewer web_viewer
RUN /venv/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
RUN useradd --create-home --uid 10001 mnemograph && install -d -o mnemograph /data /cache
COPY --from=build /venv /venv
USER mnemograph
# Inside the container every address is the container's own. Without a credential the service does not start like this,
# since nobody knows here to whom the port is published; the compose file, which publishes it to loopback only, says so.
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MNEMOGRAPH_SERVICE_HOST=0.0.0.0 \
    MNEMOGRAPH_SERVICE_OPEN_BROWSER=false \
    MNEMOGRAPH_DATA_DIR=/data \
    MNEMOGRAPH_CACHE_DIR=/cache
VOLUME ["/data", "/cache"]
EXPOSE 7780
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7780/ready', timeout=4)"]
ENTRYPOINT ["mnemograph"]
CMD ["serve"]
