# The service; `docker compose up` adds a Neo4j. Installing the package builds the viewer.
# Everything is pinned by hash: the base image (updated by operations/pin_images.sh), the packages, the build tools (hatchling,
# Node), and the viewer's packages (web_viewer/package-lock.json).
ARG PYTHON_IMAGE=python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea
FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY requirements.lock requirements-build.lock ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
# Build tools go into a separate environment, which is not part of the image.
RUN python -m venv /tools && /tools/bin/pip install --no-cache-dir --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md hatch_build.py ./
COPY schema schema
COPY extraction extraction
COPY graph_service graph_service
COPY web_viewer web_viewer
# Without build isolation pip uses these tools and downloads none.
RUN PATH=/tools/bin:$PATH /tools/bin/pip wheel --no-cache-dir --no-deps --no-index --no-build-isolation -w /wheels . \
    && /venv/bin/pip install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM ${PYTHON_IMAGE}
RUN useradd --create-home --uid 10001 mnemoscene && install -d -o mnemoscene /data /cache
COPY --from=build /venv /venv
USER mnemoscene
# The service listens on all addresses of the container, so it does not start without a credential: the port may be published
# anywhere. The compose file publishes it on 127.0.0.1 only, and therefore allows that.
# The hashes of the cache are kept with the data.
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MNEMOSCENE_SERVICE_HOST=0.0.0.0 \
    MNEMOSCENE_SERVICE_OPEN_BROWSER=false \
    MNEMOSCENE_DATA_DIR=/data \
    MNEMOSCENE_CACHE_DIR=/cache \
    XDG_STATE_HOME=/data/state
VOLUME ["/data", "/cache"]
EXPOSE 7780
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7780/ready', timeout=4)"]
ENTRYPOINT ["mnemoscene"]
CMD ["serve"]
