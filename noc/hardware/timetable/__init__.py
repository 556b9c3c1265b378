"""Routers that send by the clock: what each out-port sends follows from the phase of the round."""
