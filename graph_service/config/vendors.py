"""Fill in address and key of the vendor that the name of a model selects: `groq/llama-3.3-70b`."""

from collections.abc import Mapping
from typing import Final

from extraction.openai_api.vendors import VENDORS, Api, Vendor, vendor_by_prefix
from graph_service.config.sources import COMMAND_LINE, ENVIRONMENT, SettingValue

# Prefixes of the settings of each endpoint: `llm.fallback_` + `model`.
_ENDPOINTS: Final = ("llm.", "llm.fallback_", "embedding.")


def add_vendors(
    values: Mapping[str, SettingValue], environ: Mapping[str, str]
) -> tuple[dict[str, SettingValue], list[str]]:
    """Return the settings with vendor, address and key of each endpoint that names a vendor, and errors.

    A prefix counts only without `base_url`: behind an address, as of a proxy, `openai/gpt-5` is a model's whole name.
    The key in a vendor's variable is only sent to the address of that vendor; OPENAI_API_KEY to no other vendor.
    """
    filled = dict(values)
    problems = []
    for endpoint in _ENDPOINTS:
        model = values.get(f"{endpoint}model")
        if model is None or not isinstance(model.value, str):
            continue
        address = values.get(f"{endpoint}base_url")
        chosen = values.get(f"{endpoint}vendor")
        if chosen is not None:
            vendor = VENDORS.get(str(chosen.value))
            if vendor is None:
                problems.append(f"{chosen.origin}: no such vendor; known vendors: {', '.join(sorted(VENDORS))}")
        elif address is None and (endpoint != "llm.fallback_" or "llm.base_url" not in values):
            vendor = vendor_by_prefix(model.value)
        else:
            vendor = None
        if vendor is None:
            continue
        source = model if chosen is None or chosen.rank < model.rank else chosen
        filled[f"{endpoint}vendor"] = SettingValue(vendor.name, source.origin, source.rank)
        problems += _fill(filled, endpoint, vendor, source, environ)
    return filled, problems


def _fill(
    filled: dict[str, SettingValue],
    endpoint: str,
    vendor: Vendor,
    source: SettingValue,
    environ: Mapping[str, str],
) -> list[str]:
    """Fill in the address and the key of one endpoint; return errors.

    Args:
        source: the setting that names the vendor.
    """
    if endpoint == "embedding." and vendor.api is Api.ANTHROPIC:
        return [f"{source.origin}: Anthropic has no embeddings; name a model of another vendor, or unset it"]
    if f"{endpoint}base_url" in filled:
        return []
    key = filled.get(f"{endpoint}api_key")
    if key is not None and key.origin == "OPENAI_API_KEY" and vendor.name != "openai":
        key = None
        del filled[f"{endpoint}api_key"]
    # An own address of the vendor comes from the same source as its key; a key of the settings is sent where they say.
    rank = COMMAND_LINE if key is None else source.rank
    address = _address(vendor, environ)
    if address is not None:
        filled[f"{endpoint}base_url"] = SettingValue(address, source.origin, rank)
    elif vendor.address_variable is not None:
        return [f"{source.origin}: set {vendor.address_variable}, the address of your {vendor.name} resource"]
    if key is None and vendor.key_variable is not None and environ.get(vendor.key_variable):
        value = environ[vendor.key_variable]
        filled[f"{endpoint}api_key"] = SettingValue(value, vendor.key_variable, ENVIRONMENT)
    return []


def _address(vendor: Vendor, environ: Mapping[str, str]) -> str | None:
    own = environ.get(vendor.address_variable or "", "").strip().rstrip("/")
    if not own:
        return vendor.address
    # OLLAMA_HOST is often `0.0.0.0:11434`, the address that the server listens at.
    own = own if "://" in own else f"http://{own}"
    own = own.replace("://0.0.0.0", "://127.0.0.1")
    return own if own.endswith(vendor.address_path) else own + vendor.address_path
