"""From the settings of recall to the rules by which it orders what was found."""

from graph_service.memory.modes import LayerRules
from graph_service.memory.narrowing import Mode
from graph_service.memory.ordering import OrderRules
from graph_service.recall_settings import RecallSettings


def order_rules(wanted: RecallSettings) -> OrderRules:
    """How questions are answered that do not say it themselves."""
    layers = LayerRules()
    return OrderRules(
        mode=Mode(wanted.mode),
        layers=LayerRules(thresholds=layers.thresholds | {"general": wanted.layer_threshold}, floor=wanted.layer_floor),
        access_weight=wanted.access_weight,
    )
