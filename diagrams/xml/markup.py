"""Reading and writing XML: safe parsing, the content beyond what Drawbar understands, and one canonical text.

Elements that Drawbar understands become objects; their other attributes, children and comments stay with them as a
`Preserved` and are written back. `text` prints a tree of `Node` in a form that depends only on its content.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from drawbar.blocks.core.errors import DiagramError, UsageError
from drawbar.blocks.core.safe_xml import DoctypeError, MalformedXml, parse_hostile
from drawbar.diagrams.xml.tags import PREFIXES

MAX_BYTES = 50_000_000  # bytes; a diagram of ten thousand connections has two million
XML = "http://www.w3.org/XML/1998/namespace"

# the order that the SSP schema requires among the children of any element
_ORDER = """
    System Connectors ElementGeometry ParameterValues ParameterMapping ParameterBindings Elements Connections
    SignalDictionaries SystemGeometry GraphicalElements Real Float64 Float32 Integer Int32 Int16 Int8 Boolean String
    Enumeration Binary BaseUnit Item
    LinearTransformation BooleanMappingTransformation IntegerMappingTransformation EnumerationMappingTransformation
    ConnectorGeometry ConnectionGeometry Parameters Enumerations Units DefaultExperiment
"""
_NAMES = _ORDER.split()
_RANK = {name: i for i, name in enumerate(_NAMES)}
_ONE_LINE = {"Connector", "Connection", "Parameter", "Unit", "Annotation", "MappingEntry"}


@dataclass
class Preserved:
    """What a file holds about an object beyond what the object holds, and on which line."""

    line: int | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)  # comments in front of the element
    inner: dict[str, Preserved] = field(default_factory=dict)  # that of child elements that are no object of their own

    @property
    def is_empty(self) -> bool:
        """Whether nothing but the line is there."""
        return not (self.attributes or self.children or self.before or any(not k.is_empty for k in self.inner.values()))


@dataclass
class Node:
    """An element to be written; `children` are nodes, or XML preserved from a file."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Any] = field(default_factory=list)


def parse(path: Path) -> Any:
    """Return the root element of an XML file; ``DiagramError`` with file and line if it is malformed or unsafe."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DiagramError(f"{path}: {size / 1e6:.0f} MB; a file of a diagram has at most {MAX_BYTES / 1e6:.0f} MB")
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return parse_content(content, path)


def parse_content(content: bytes, path: Path) -> Any:
    """Return the root element of the content of an XML file; ``DiagramError`` as of `parse`."""
    try:
        return parse_hostile(content)
    except MalformedXml as error:
        kind = path.suffix if path.suffix in (".ssd", ".ssv", ".ssm") else "XML"
        raise DiagramError(f"{path}:{error.lineno}: not an {kind} file, or a damaged one: {error.msg}") from None
    except DoctypeError:
        raise DiagramError(f"{path}:1: has a DOCTYPE; SSP files have none, and entities are not read") from None


def parse_as(path: Path, tag: str) -> Any:
    """Return the root element of an XML file, which must be a `tag`, ``{namespace}name``; else ``DiagramError``."""
    root = parse(path)
    if root.tag != tag:
        raise DiagramError(
            f"{path}:{root.sourceline}: begins with <{local_name(root)}>, not with {tag.rpartition('}')[2]}"
        )
    return root


def number(value: float) -> str:
    """Return a number as the shortest text that reads back as the same number."""
    plain = repr(float(value)).removesuffix(".0")
    return {"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(plain, plain)


def is_element(item: Any) -> bool:
    """Return whether a child is an element, not a comment or processing instruction."""
    return isinstance(item.tag, str)


def local_name(item: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(etree.QName(item).localname)


def comments_before(item: Any) -> list[Any]:
    """Return the comments directly in front of an element, in order."""
    found: list[Any] = []
    before = item.getprevious()
    while before is not None and not is_element(before):
        found.insert(0, before)
        before = before.getprevious()
    return found


def first_children(item: Any, tags: Iterable[str]) -> list[Any]:
    """Return the first child element of each tag, if there is one; the schema forbids a second."""
    return [found for tag in tags if (found := item.find(tag)) is not None]


def explicit_attributes(item: Any, defaults: dict[str, float]) -> list[str]:
    """Return the attributes that differ from their defaults; one that spells out its default stays as it is written."""
    return [name for name, value in defaults.items() if not _is_value(item.get(name), value)]


def _is_value(text: str | None, value: float) -> bool:
    try:
        return text is not None and float(text) == value
    except ValueError:
        return False


def preserve(item: Any, attributes: Iterable[str] = (), children: Iterable[Any] = ()) -> Preserved:
    """Return what an element holds beside the attributes and child elements (or their tags) that the caller reads.

    Comments in front of a child that the caller reads are left to the `Preserved` of that child.
    """
    known_attributes, known = set(attributes), set(children)
    preserved = Preserved(line=item.sourceline, before=comments_before(item))
    preserved.attributes = {k: v for k, v in item.attrib.items() if k not in known_attributes}
    pending: list[Any] = []
    for child in item:
        pending.append(child)
        if is_element(child):
            if child.tag not in known and child not in known:
                preserved.children += pending
            pending = []
    preserved.children += pending
    return preserved


def node(
    tag: str, attributes: dict[str, str | None], children: Sequence[Any] = (), preserved: Preserved | None = None
) -> Node:
    """Return an element with known and preserved content, in the order of the schema; None drops an attribute."""
    preserved = preserved or Preserved()
    known = {k: v for k, v in attributes.items() if v is not None}
    groups: list[tuple[int, list[Any]]] = []
    pending: list[Any] = []
    for child in [*children, *preserved.children]:
        pending.append(child)
        if isinstance(child, Node) or is_element(child):
            groups.append((_rank(child), pending))
            pending = []
    groups.sort(key=lambda group: group[0])
    rest = {k: v for k, v in preserved.attributes.items() if k not in known}
    return Node(tag, {**known, **rest}, [c for _, group in groups for c in group] + pending)


def _rank(child: Any) -> int:
    name = child.tag.rpartition("}")[2]
    if name in ("Component", "SignalDictionaryReference"):
        name = "System"  # these three may come in any order
    return len(_NAMES) + 1 if name == "Annotations" else _RANK.get(name, len(_NAMES))


def text(root: Node, namespaces: dict[str, str], before: Sequence[Any] = (), after: Sequence[Any] = ()) -> str:
    """Return the document in canonical form.

    It is indented by two spaces, with one object per line and the attributes in the given order.
    """
    scope: dict[str | None, str] = {"xml": XML}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines += [etree.tostring(comment, encoding="unicode", with_tail=False) for comment in before]
    used = _used(root)
    declared = {**namespaces, **{prefix: uri for uri, prefix in PREFIXES.items() if uri in used}}
    _print(root, 0, scope, lines, declared)
    lines += [etree.tostring(comment, encoding="unicode", with_tail=False) for comment in after]
    return "\n".join(lines) + "\n"


def _used(item: Any) -> set[str]:
    found: set[str] = set()
    if isinstance(item, Node) or is_element(item):
        found.add(item.tag[1:].partition("}")[0])
        for child in item.children if isinstance(item, Node) else item:
            found |= _used(child)
    return found


def _print(item: Any, depth: int, scope: dict[str | None, str], lines: list[str], extra: dict[str, str]) -> None:
    indent = "  " * depth
    if not isinstance(item, Node) and not is_element(item):
        lines.append(indent + etree.tostring(item, encoding="unicode", with_tail=False))
        return
    opening, name, inside = _open(item, scope, extra)
    children = _children(item)
    if not children and not _text_of(item):
        lines.append(f"{indent}<{opening}/>")
    elif _is_mixed(item) or _fits_one_line(item, children):
        lines.append(f"{indent}<{opening}>{_flat(item, inside)}</{name}>")
    else:
        lines.append(f"{indent}<{opening}>")
        for child in children:
            _print(child, depth + 1, inside, lines, {})
        lines.append(f"{indent}</{name}>")


def _flat(item: Any, scope: dict[str | None, str]) -> str:
    """Return the content of an element without any added white space."""
    mixed = _is_mixed(item)
    parts = [_escape(_text_of(item))]
    for child in _children(item):
        if not isinstance(child, Node) and not is_element(child):
            parts.append(etree.tostring(child, encoding="unicode", with_tail=False))
        else:
            opening, name, inside = _open(child, scope, {})
            content = _flat(child, inside)
            parts.append(f"<{opening}>{content}</{name}>" if content else f"<{opening}/>")
        if mixed and not isinstance(child, Node):
            parts.append(_escape(child.tail or ""))
    return "".join(parts)


def _escape(content: str) -> str:
    return escape(content, {"\r": "&#13;"})


def _children(item: Any) -> list[Any]:
    return item.children if isinstance(item, Node) else list(item)


def _text_of(item: Any) -> str:
    """Return the text that belongs to the content: all of it in mixed content and leaves, none between elements."""
    if isinstance(item, Node):
        return ""
    return (item.text or "") if len(item) == 0 or _is_mixed(item) else ""


def _is_mixed(item: Any) -> bool:
    """Return whether white space matters: there is text beside child elements, in the element or around it."""
    if isinstance(item, Node):
        return False
    if item.get(f"{{{XML}}}space") == "preserve":
        return True
    return len(item) > 0 and any((t or "").strip() for t in [item.text, *(child.tail for child in item)])


def _fits_one_line(item: Any, children: list[Any]) -> bool:
    simple = all(_is_ours(c) or (is_element(c) and not _children(c) and not _text_of(c)) for c in children)
    if not children:
        return True
    return simple and item.tag.rpartition("}")[2] in _ONE_LINE and item.tag[1:].partition("}")[0] in PREFIXES


def _is_ours(item: Any) -> bool:
    return isinstance(item, Node) and all(_is_ours(c) for c in item.children)


def _open(item: Any, scope: dict[str | None, str], extra: dict[str, str]) -> tuple[str, str, dict[str | None, str]]:
    """Return the text between ``<`` and ``>``, the prefixed name, and the namespaces in scope inside."""
    inside = dict(scope)
    declared: dict[str | None, str] = {}
    nsmap: dict[str | None, str] = {} if isinstance(item, Node) else dict(item.nsmap)

    def declare(prefix: str | None, uri: str) -> None:
        if inside.get(prefix, "") != uri:
            inside[prefix] = declared[prefix] = uri

    for given, uri in [*extra.items(), *((p, u) for p, u in nsmap.items() if u not in PREFIXES)]:
        declare(given, uri)
    uri, name = _parts(item.tag)
    prefix = PREFIXES.get(uri) or (None if isinstance(item, Node) or not uri else item.prefix)
    declare(prefix, uri)
    attributes = []
    for key, value in item.attrib.items() if not isinstance(item, Node) else item.attributes.items():
        space, plain = _parts(key)
        if space:
            chosen = next((p for p, u in inside.items() if p and u == space), None)
            if chosen is None:
                chosen = next(p for n in range(1, 1000) if (p := f"ns{n}") not in inside)
                declare(chosen, space)
            plain = f"{chosen}:{plain}"
        attributes.append(f" {plain}={_quoted(value)}")
    full = f"{prefix}:{name}" if prefix else name
    spaces = [f" xmlns{':' + p if p else ''}={_quoted(u)}" for p, u in sorted(declared.items(), key=_prefix_order)]
    return full + "".join(spaces) + "".join(attributes), full, inside


def _prefix_order(entry: tuple[str | None, str]) -> tuple[int, str]:
    ours = list(PREFIXES)
    return (ours.index(entry[1]) if entry[1] in ours else len(ours), entry[0] or "")


def _parts(tag: str) -> tuple[str, str]:
    if tag.startswith("{"):
        uri, _, name = tag[1:].partition("}")
        return uri, name
    return "", tag


def _quoted(value: str) -> str:
    return quoteattr(value, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;", '"': "&quot;"})
