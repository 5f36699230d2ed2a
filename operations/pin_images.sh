#!/usr/bin/env bash
# Update the digest of each image's tag in Dockerfile, docker-compose.yml and the manifest of Redis.
# Needs docker with buildx, and access to the registry. Review the diff, build, and run the tests before you commit.
set -euo pipefail
cd "$(dirname "$0")/.."

files=(Dockerfile docker-compose.yml operations/kubernetes/redis.yaml)
# TAG or TAG@DIGEST, after `image:` or `ARG PYTHON_IMAGE=`.
tags=$(sed -nE 's/^(ARG PYTHON_IMAGE=| *image: *)([^@ ]+)(@sha256:[0-9a-f]{64})?$/\2/p' "${files[@]}" | sort -u)
for tag in $tags; do
    digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$tag")
    if [[ ! $digest =~ ^sha256:[0-9a-f]{64}$ ]]; then
        echo "$tag: the registry names no digest: $digest" >&2
        exit 1
    fi
    escaped=$(printf '%s' "$tag" | sed 's/[.]/\\./g')
    sed -E -i.bak "s#^(ARG PYTHON_IMAGE=| *image: *)$escaped(@sha256:[0-9a-f]{64})?\$#\\1$tag@$digest#" "${files[@]}"
    echo "$tag@$digest"
done
rm -f "${files[@]/%/.bak}"
