# The service as an image; `docker compose up` gives it a Neo4j. The viewer is built while the package is installed.
# Everything it is made from is named with its hash: this image, the packages, what builds the package (hatchling and
# Node), and what the viewer is built from (web_viewer/package-lock.json). operations/pin_images.sh renews the image's.
ARG PYTHON_IMAGE=python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY requirements.lock requirements-build.lock ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
# In an environment of their own, so that they are not in the image.
RUN python -m venv /tools && /tools/bin/pip install --no-cache-dir --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md hatch_build.py ./
COPY schema schema
COPY extraction extraction
COPY graph_service graph_service
COPY web_viewer web_viewer
# Without isolation pip takes the tools that are there and fetches none.
RUN PATH=/tools/bin:$PATH /tools/bin/pip wheel --no-cache-dir --no-deps --no-index --no-build-isolation -w /wheels . \
    && /venv/bin/pip install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM ${PYTHON_IMAGE}
RUN useradd --create-home --uid 10001 mnemograph && install -d -o mnemograph /data /cache
COPY --from=build /venv /venv
USER mnemograph
# Inside the container every address is the container's own. Without a credential the service does not start like this,
# since nobody knows here to whom the port is published; the compose file, which publishes it to loopback only, says so.
# The records that prove the cache outlive the container with the data.
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MNEMOGRAPH_SERVICE_HOST=0.0.0.0 \
    MNEMOGRAPH_SERVICE_OPEN_BROWSER=false \
    MNEMOGRAPH_DATA_DIR=/data \
    MNEMOGRAPH_CACHE_DIR=/cache \
    XDG_STATE_HOME=/data/state
VOLUME ["/data", "/cache"]
EXPOSE 7780
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7780/ready', timeout=4)"]
ENTRYPOINT ["mnemograph"]
CMD ["serve"]
