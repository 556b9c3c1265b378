"""How values are written as JSON and read back, described once for both.

What is read may be anybody's: a value of another type, or out of bounds, is refused in one line
that says where it is and what is allowed there. Keys that a record does not know are left alone,
since later versions add some.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from reprlib import repr as short
from typing import Any, Generic, TypeVar

from noc.errors import InputError

T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True)
class Form(Generic[T]):
    """How a value is written, and how it is read."""

    write: Callable[[T], Any]
    read: Callable[[Any], T]


class FormError(InputError):
    """A problem in a document, and the path to it, such as ``.nodes[2].label``."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(f"{path.removeprefix('.')}: {problem}" if path else problem)
        self.problem, self.path = problem, path

    @classmethod
    def unlike(cls, value: object, allowed: str, path: str = "") -> "FormError":
        """A value is not what is allowed."""
        return cls(f"must be {allowed}, not {short(value)}", path)


@contextmanager
def at(step: str) -> Iterator[None]:
    """Put a step, ``.key`` or ``[number]``, before the path of whatever is refused."""
    try:
        yield
    except InputError as error:
        inner = error if isinstance(error, FormError) else FormError(error.message)
        raise FormError(inner.problem, step + inner.path) from None


def _same(value: Any) -> Any:
    return value


def _of_type(kind: type[T], allowed: str) -> Form[T]:
    def read(value: Any) -> T:
        if not isinstance(value, kind):
            raise FormError.unlike(value, allowed)
        return value

    return Form(_same, read)


#: Whatever JSON holds, checked elsewhere or of no consequence.
ANY: Form[Any] = Form(_same, _same)
FLAG = _of_type(bool, "true or false")
TEXT = _of_type(str, "text")
_LIST = _of_type(list, "a list")
_OBJECT = _of_type(dict, "an object")


def whole(least: int = 0, most: int | None = None) -> Form[int]:
    """A whole number within bounds."""
    allowed = f"a whole number from {least}" + ("" if most is None else f" to {most}")

    def read(value: Any) -> int:
        # Not isinstance, by which true is a whole number.
        if type(value) is not int or value < least or (most is not None and value > most):
            raise FormError.unlike(value, allowed)
        return value

    return Form(_same, read)


def choice(values: Mapping[str, T]) -> Form[T]:
    """One of some values, by its name."""
    names = {value: name for name, value in values.items()}

    def read(name: Any) -> T:
        if not isinstance(name, str) or name not in values:
            raise FormError.unlike(name, f"one of {', '.join(values) or 'none'}")
        return values[name]

    return Form(names.__getitem__, read)


def maybe(form: Form[T], nothing: Any = None) -> Form[Any]:
    """A value, or null for none."""
    return Form(
        lambda value: None if value == nothing else form.write(value),
        lambda value: nothing if value is None else form.read(value),
    )


def listed(form: Form[T], count: int | None = None) -> Form[tuple[T, ...]]:
    """A list of values of one form, and of this length if that is known."""

    def read(values: Any) -> tuple[T, ...]:
        if count not in (None, len(_LIST.read(values))):
            raise FormError.unlike(values, f"a list of {count}")
        return tuple(_read_at(f"[{n}]", form, value) for n, value in enumerate(values))

    return Form(lambda values: [form.write(value) for value in values], read)


def one_or_list(form: Form[T]) -> Form[Any]:
    """A value, or a tuple of values, which is written as a list."""
    several = listed(form)
    return Form(
        lambda value: several.write(value) if isinstance(value, tuple) else form.write(value),
        lambda value: several.read(value) if isinstance(value, list) else form.read(value),
    )


def named(names: Form[K], form: Form[T]) -> Form[dict[K, T]]:
    """An object whose keys are values too, all of one form."""
    return Form(
        lambda values: {names.write(name): form.write(value) for name, value in values.items()},
        lambda values: {
            names.read(name): _read_at(f".{name}", form, value)
            for name, value in _OBJECT.read(values).items()
        },
    )


def _read_at(step: str, form: Form[T], value: Any) -> T:
    with at(step):
        return form.read(value)


_NEEDED: Any = object()


@dataclass(frozen=True)
class Key:
    """A key of a record."""

    #: The form of its value.
    form: Form[Any]
    #: The attribute that it holds, if not that of its own name; or how its value follows from the
    #: record's object, which is then made from it and must agree with it.
    of: str | Callable[[Any], Any] = ""
    #: The value that is meant where the key is absent, and then not written.
    usual: Any = _NEEDED
    #: Whether it is written all the same.
    always: bool = False


#: The keys of a record, by their names.
Keys = dict[str, Form[Any] | Key]


def row(forms: Mapping[str, Form[Any]]) -> Form[tuple[Any, ...]]:
    """An object with the values of a tuple under these keys, in their order."""
    keys: Keys = {name: Key(form, itemgetter(at)) for at, (name, form) in enumerate(forms.items())}
    return record(lambda **values: tuple(values[name] for name in forms), keys)


def record(make: Callable[..., T], keys: Keys) -> Form[T]:
    """An object with these keys; with :class:`dict`, of what a dictionary has under them."""
    table = {name: key if isinstance(key, Key) else Key(key) for name, key in keys.items()}

    def value(name: str, key: Key, owner: Any) -> Any:
        if callable(key.of):
            return key.of(owner)
        if isinstance(owner, dict):
            return owner[name] if key.usual is _NEEDED else owner.get(name, key.usual)
        return getattr(owner, key.of or name)

    def write(owner: T) -> dict[str, Any]:
        values = {name: value(name, key, owner) for name, key in table.items()}
        return {
            name: key.form.write(values[name])
            for name, key in table.items()
            if key.always or key.usual is _NEEDED or values[name] != key.usual
        }

    def read(document: Any) -> T:
        values = {}
        for name, key in table.items():
            if name not in _OBJECT.read(document) and key.usual is _NEEDED:
                raise FormError(f"{name} is missing")
            known = name in document
            values[name] = _read_at(f".{name}", key.form, document[name]) if known else key.usual
        attributes = {name: name if callable(key.of) else key.of for name, key in table.items()}
        owner = make(**{attributes[name] or name: each for name, each in values.items()})
        for name, key in table.items():
            if callable(key.of) and key.of(owner) != values[name]:
                raise FormError.unlike(values[name], short(key.of(owner)), f".{name}")
        return owner

    return Form(write, read)
