"""Test that the manifests of `operations/kubernetes` name what the service has; no cluster applies them here."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from graph_service.auth.rules import ROUTES
from graph_service.config.settings import LOOPBACK_NAMES, load_settings
from tests.repository.test_operations import COMPOSE, levels

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "operations/kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))
COMPONENT = yaml.safe_load((FOLDER / "queue-depth/kustomization.yaml").read_text("utf-8"))
# The settings whose values are secret, and so are not in the repository.
SECRETS = ("NEO4J_PASSWORD", "OPENAI_API_KEY")
_IMAGE = re.compile(r" *image: *[^@ ]+@sha256:[0-9a-f]{64}")


def documents() -> list[dict[str, Any]]:
    """Return all objects, in the order of the kustomization."""
    files = [FOLDER / name for name in KUSTOMIZATION["resources"]]
    files += [FOLDER / "queue-depth" / name for name in COMPONENT["resources"]]
    return [one for file in files for one in yaml.safe_load_all(file.read_text("utf-8"))]


ALL = {(one["kind"], one["metadata"]["name"]): one for one in documents()}
SERVICE = ALL["StatefulSet", "mnemoscene"]
POD = SERVICE["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]


def environment() -> dict[str, str]:
    """Return what the container gets from the manifests, at an address of the pod."""
    named = {one["name"]: one.get("value", "10.0.0.7") for one in CONTAINER["env"]}
    return {
        **ALL["ConfigMap", "mnemoscene"]["data"],
        **{name: value.replace("$(POD_IP)", named["POD_IP"]) for name, value in named.items()},
    }


def test_every_file_is_listed_and_every_kind_is_there() -> None:
    listed = {*KUSTOMIZATION["resources"], *(f"queue-depth/{name}" for name in COMPONENT["resources"])}
    there = {str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.yaml") if file.name != "kustomization.yaml"}
    assert listed == there
    assert len(ALL) == len(documents())
    kinds = {kind for kind, _ in ALL}
    assert kinds >= {"StatefulSet", "PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy", "ScaledObject"}


def test_every_variable_is_a_setting_and_every_value_is_valid(tmp_path: Path) -> None:
    environ = environment()
    of_pod = {name: environ.pop(name) for name in ("POD_IP", "TMPDIR")}
    secret = {name: "a secret of more than 32 characters" for name in SECRETS}
    # An unknown variable or an invalid value is an error.
    settings = load_settings(environ={**environ, **secret}, here=tmp_path, user_dir=tmp_path)
    assert of_pod["POD_IP"] in settings.service.allowed_hosts
    assert settings.redis.url == f"redis://redis:{port_of('redis')}/0"
    assert "# NEO4J_PASSWORD, and OPENAI_API_KEY" in (FOLDER / "service.yaml").read_text("utf-8")


def port_of(service: str) -> int:
    """Return the port of a Service; its target must be a port of the container that it selects."""
    (port,) = ALL["Service", service]["spec"]["ports"]
    label = ALL["Service", service]["spec"]["selector"]["app"]
    owner = ALL["StatefulSet" if label == "mnemoscene" else "Deployment", label]["spec"]["template"]
    assert owner["metadata"]["labels"] == {"app": label}
    (container,) = owner["spec"]["containers"]
    assert port["targetPort"] in {one["name"] for one in container["ports"]}
    assert port["port"] in {one["containerPort"] for one in container["ports"]}
    return int(port["port"])


def test_ports_are_those_of_service_and_policies(tmp_path: Path) -> None:
    default = load_settings(environ={}, here=tmp_path, user_dir=tmp_path).service.port
    assert {port_of("mnemoscene"), port_of("mnemoscene-pods")} == {default}
    assert SERVICE["spec"]["template"]["metadata"]["annotations"]["prometheus.io/port"] == str(default)
    allowed = {name: ALL["NetworkPolicy", name]["spec"] for name in ("mnemoscene", "redis")}
    assert [one["port"] for one in allowed["mnemoscene"]["ingress"][0]["ports"]] == [default]
    assert [one["port"] for one in allowed["redis"]["ingress"][0]["ports"]] == [port_of("redis")]
    out = {one["port"] for rule in allowed["mnemoscene"]["egress"] for one in rule["ports"]}
    neo4j = ALL["ConfigMap", "mnemoscene"]["data"]["NEO4J_URI"].rpartition(":")[2]
    assert out == {53, 443, port_of("redis"), int(neo4j)}


def test_probes_and_metrics_ask_paths_of_the_application() -> None:
    paths = {route.path for route in ROUTES}
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = CONTAINER[name]["httpGet"]
        assert asked["path"] in paths
        assert asked["port"] in {one["name"] for one in CONTAINER["ports"]}
        # The service refuses requests to names that it does not know, such as the pod's address.
        assert {one["name"]: one["value"] for one in asked["httpHeaders"]}["Host"] in LOOPBACK_NAMES
    assert CONTAINER["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert SERVICE["spec"]["template"]["metadata"]["annotations"]["prometheus.io/path"] in paths


def test_queue_depth_is_a_metric_that_is_never_held_back() -> None:
    queries = [one["metadata"].get("query") for one in ALL["ScaledObject", "mnemoscene"]["spec"]["triggers"]]
    (name,) = re.findall(r"mnemoscene_\w+", queries[0])
    assert name in levels()
    assert set(re.search(r'kind=~"([^"]*)"', queries[0])[1].split("|")) == {"extract", "embed"}  # type: ignore[index]
    deleted = yaml.safe_load(COMPONENT["patches"][0]["patch"])
    assert (deleted["kind"], deleted["metadata"]["name"]) in ALL


@pytest.mark.parametrize("kind", ["PodDisruptionBudget", "HorizontalPodAutoscaler", "ScaledObject"])
def test_budget_and_autoscalers_are_about_the_service(kind: str) -> None:
    spec = ALL[kind, "mnemoscene"]["spec"]
    target = spec.get("scaleTargetRef", {"kind": "StatefulSet", "name": "mnemoscene"})
    assert (target["kind"], target["name"]) in ALL
    assert spec.get("minReplicas", spec.get("minReplicaCount", 2)) >= 2
    assert spec.get("selector", {}).get("matchLabels", {"app": "mnemoscene"}) == {"app": "mnemoscene"}


def test_pods_have_no_needless_rights_and_enough_time_to_stop(tmp_path: Path) -> None:
    for pod in (POD, ALL["Deployment", "redis"]["spec"]["template"]["spec"]):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        rights = container["securityContext"]
        assert (rights["readOnlyRootFilesystem"], rights["allowPrivilegeEscalation"]) == (True, False)
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["limits"]["memory"]
    written = {one["mountPath"] for one in CONTAINER["volumeMounts"]}
    assert written == {"/data", "/cache", "/tmp"}
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    assert 'VOLUME ["/data", "/cache"]' in dockerfile
    assert f"--uid {POD['securityContext']['runAsUser']} " in dockerfile
    # `graph_service/runtime/shutdown.py`: 30 s in total, of which the drain is a part.
    assert POD["terminationGracePeriodSeconds"] > 30


def test_images_are_pinned_or_built() -> None:
    pinned = [line for line in (FOLDER / "redis.yaml").read_text("utf-8").splitlines() if "image:" in line]
    assert [_IMAGE.fullmatch(line) is not None for line in pinned] == [True]
    assert ALL["Deployment", "redis"]["spec"]["template"]["spec"]["containers"][0]["image"] == COMPOSE["redis"]["image"]
    # What `operations/pin_images.sh` updates.
    assert "operations/kubernetes/redis.yaml" in (ROOT / "operations/pin_images.sh").read_text("utf-8")
    assert CONTAINER["image"] in {one["name"] for one in KUSTOMIZATION["images"]}
