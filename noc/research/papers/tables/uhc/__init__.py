"""Broadcasting on uni-directional hypercubes."""
