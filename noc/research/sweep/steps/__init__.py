"""The steps of a sweep, each a kind of measurement."""

from noc.research.sweep.steps.hardware import AREA_STEP, SYNTH_STEP, VERIFY_STEP
from noc.research.sweep.steps.model import MODEL_STEP, TREE_STEP
from noc.research.sweep.steps.schedule import SCHEDULE_STEP
from noc.research.sweep.steps.step import Axes, Step, Value

__all__ = ["OF_PLAIN_TREES", "STEPS", "Axes", "Step", "Value"]

#: Those that measure a plain tree too.
OF_PLAIN_TREES = ("tree", "model", "area", "synth")

#: In the order in which they are measured, from the quickest on.
STEPS = {
    step.name: step
    for step in (TREE_STEP, MODEL_STEP, AREA_STEP, VERIFY_STEP, SYNTH_STEP, SCHEDULE_STEP)
}
