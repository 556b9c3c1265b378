"""Words in slices: parts of a word, and what makes up for a part that is lost on a dead link."""


def part_bits(parts: int, width: int) -> int:
    """Bits of a part of words of some bits; above those of the word the last ones are zeros."""
    return -(-width // parts)
