"""What the five papers state, computed: tables, the step model, routes. Only commands import it."""
