"""Broadcasting on (n,k)-star graphs."""
