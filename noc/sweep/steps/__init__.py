"""The steps of a sweep, each a kind of measurement."""

from noc.sweep.steps import area, model, schedule, synth, tree, verify
from noc.sweep.steps.step import Axes, Step, Value

__all__ = ["STEPS", "Axes", "Step", "Value"]

#: In the order in which they are measured, from the quickest on.
STEPS = {
    step.name: step
    for step in (tree.STEP, model.STEP, area.STEP, verify.STEP, synth.STEP, schedule.STEP)
}
