# SPDX-License-Identifier: Apache-2.0
"""XML, read without fetching or expanding anything: no document type is resolved, an entity of its own is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, ParseError

from euroglue.errors import FormatError

if TYPE_CHECKING:
    from euroglue.prepare.raw import RawFiles


def root_of(files: RawFiles, member: str) -> Element:
    """The root element of an XML member, in the encoding that it declares.

    A document type such as ``<!DOCTYPE words SYSTEM 'words.dtd'>`` is passed over: the file it names is not looked for.

    Raises:
        FormatError: the member is cut short, is no XML, has bytes that its encoding does not know, or declares entities.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import parse

    try:
        return parse(str(files.path(member)), forbid_dtd=False, forbid_entities=True, forbid_external=True).getroot()
    except ParseError as error:
        line, column = error.position
        raise FormatError(
            f"{member}, line {line}, column {column}: expected well-formed XML, got: {error}; fetch the file again"
        ) from error
    except DefusedXmlException as error:
        raise FormatError(f"{member}: declares an entity or refers to another file ({error}); refused") from error
    except (LookupError, ValueError) as error:
        raise FormatError(f"{member}: expected XML in a known encoding, got: {error}") from error


def local(element: Element) -> str:
    """The name of an element without its namespace.

    >>> local(Element("{http://example.org/ns}w"))
    'w'
    """
    return element.tag.rpartition("}")[2]


def attribute(member: str, element: Element, name: str) -> str:
    """An attribute that must be there and not be empty.

    Raises:
        FormatError: it is missing; member and element are named.
    """
    value = element.get(name)
    if not value:
        known = ", ".join(f"{key}={text!r}" for key, text in sorted(element.attrib.items())) or "no attributes"
        raise FormatError(f"{member}, <{local(element)}>: expected the attribute {name}, got {known[:80]}")
    return value
