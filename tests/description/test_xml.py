"""The XML reader: what it reads, and all it must refuse without harm."""

import os
import tracemalloc
import warnings

import pytest

from lagrangian.description import xml
from lagrangian.errors import DescriptionError, MechanismError, MechanismPart, ReaderWarning, error_location


def test_tags_attributes_children_text_and_lines():
    root = xml.read_text('<a x="1">\n  <b name="n">hello\n  <c/></b>\n  <d/>\n</a>')
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1"}, 1)
    b, d = root.children
    assert (b.text, b.line, d.line, b.children[0].line) == ("hello", 2, 4, 3)
    assert [e.tag for e in root.walk()] == ["a", "b", "c", "d"]
    assert root.find("d") is d
    assert root.find("z") is None
    assert root.find_all("b") == [b]


def test_where_names_file_line_element_and_the_named_element_around():
    root = xml.read_text('<robot name="r"><joint name="j1">\n<origin xyz="0 0"/></joint></robot>', "arm.urdf")
    joint = root.children[0]
    assert [str(place) for place in joint.where] == ["arm.urdf:1", '<joint name="j1">']
    with pytest.raises(DescriptionError) as error:
        xml.number_attributes(joint.children[0], "xyz", 3)
    assert str(error.value) == "arm.urdf:2: <origin> in <joint name=\"j1\">: xyz needs 3 numbers, got '0 0'"


def test_ten_thousand_and_more_levels():
    depth = 100_000
    root = xml.read_text("<a>" * depth + "</a>" * depth)
    assert sum(1 for _ in root.walk()) == depth


LAUGHS = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><robot>&c;</robot>"""
FOREIGN = '<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY x SYSTEM "file://{file}">]><robot name="&x;">&x;</robot>'


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        FOREIGN,
        '<!DOCTYPE r SYSTEM "http://localhost/x.dtd"><r/>',
        '<!DOCTYPE r PUBLIC "p" "x.dtd"><r>&unknown;</r>',
        '<!DOCTYPE r [<!ENTITY % p SYSTEM "x.dtd"> %p;]><r/>',
        '<!DOCTYPE r [<!ATTLIST r a CDATA "injected">]><r/>',
    ],
)
def test_entities_and_foreign_files_are_refused(tmp_path, text):
    secret = tmp_path / "secret.txt"
    secret.write_text("do not tell")
    with pytest.raises(DescriptionError, match=r"^m\.xml:\d+: .*not allowed") as error:
        xml.read_text(text.replace("{file}", str(secret)), "m.xml")
    assert "do not tell" not in str(error.value)


def test_a_bare_document_type_is_harmless():
    assert xml.read_text("<!DOCTYPE robot><robot/>").tag == "robot"


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (b"", 1, "empty"),
        (b"  \n\n ", 1, "empty"),
        (b"hello\n", 1, "not XML"),
        (b"<a>\n<b>\n</a>", 3, "mismatched tag"),
        (b"<a>\n", 2, "not XML: no element found"),
        (b"<a/>\n<b/>", 2, "junk after document element"),
        (b"<a x='1' x='2'/>", 1, "duplicate attribute"),
        (b"<a>&nope;</a>", 1, "undefined entity"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", 1, "binary"),
        (b"\x89PNG\r\n\x1a\n", 1, "not XML"),
        ("<a/>".encode("utf-16"), 1, "UTF-16"),
        ('<?xml version="1.0"?><a/>'.encode("utf-16-le"), 1, "UTF-16"),
        (b"<a>\xff\xfe</a>", 1, "not XML"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', 1, "unknown encoding|UTF-8"),
        (b'<?xml version="1.0" encoding="utf-7"?><a/>', 1, "encoding|UTF-8"),
    ],
)
def test_what_is_not_xml_says_file_and_line(tmp_path, data, line, says):
    file = tmp_path / "robot.urdf"
    file.write_bytes(data)
    with pytest.raises(DescriptionError, match=says) as error:
        xml.read_file(file)
    assert str(error.value).startswith(f"{file}:{line}: ")


def test_utf8_with_a_mark_and_latin1_are_read(tmp_path):
    file = tmp_path / "a.xml"
    file.write_bytes(b"\xef\xbb\xbf" + '<a n="é"/>'.encode())
    assert xml.read_file(file).attributes["n"] == "é"
    file.write_bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a n="é"/>'.encode("latin-1"))
    assert xml.read_file(file).attributes["n"] == "é"


def test_missing_directory_pipe_and_nul(tmp_path):
    with pytest.raises(DescriptionError, match=r"no\.xml: cannot be read: no such file"):
        xml.read_file(tmp_path / "no.xml")
    with pytest.raises(DescriptionError, match="is a directory"):
        xml.read_file(tmp_path)
    with pytest.raises(DescriptionError, match="cannot be read"):
        xml.read_file("a\0b.xml")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(DescriptionError, match="not a regular file"):
            xml.read_file(tmp_path / "pipe")  # must not wait for a writer


def test_a_huge_file_is_refused_unread(tmp_path):
    file = tmp_path / "huge.xml"
    with file.open("wb") as stream:
        stream.truncate(xml.MAX_XML_BYTES + 1)  # a hole: no space on disk
    tracemalloc.start()
    try:
        with pytest.raises(DescriptionError, match=r"huge\.xml: has 200 MB; at most 200 MB"):
            xml.read_file(file)
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("0 0", "xyz needs 3 numbers, got '0 0'"),
        ("", "xyz needs 3 numbers, got ''|xyz is empty"),
        ("1 2 3 4", "needs 3 numbers"),
        ("1 two 3", "'two', which is not a number"),
        ("1,2,3", "needs 3 numbers"),
        ("1 2 nan", "xyz is 'nan'; a finite number"),
        ("inf 2 3", "finite"),
        ("1e999 2 3", "finite"),
        ("1_000 2 3", "not a number"),
        ("٣ 2 3", "not a number"),
        ("0x10 2 3", "not a number"),
    ],
)
def test_numbers_that_are_not(value, says):
    element = xml.read_text(f'<origin xyz="{value}"/>', "f")
    with pytest.raises(DescriptionError, match=says) as error:
        xml.number_attributes(element, "xyz", 3)
    assert str(error.value).startswith("f:1: <origin>: ")
    with pytest.raises(DescriptionError):  # a default stands in for a missing attribute, not for a wrong one
        xml.number_attributes(element, "xyz", 3, (0, 0, 0))


def test_numbers_that_are():
    element = xml.read_text('<a x=" 1  -2.5e-3\n+.5 " one="7" inf="inf"/>')
    assert xml.number_attributes(element, "x", 3) == (1.0, -0.0025, 0.5)
    assert xml.number_attribute(element, "one") == 7.0
    assert xml.number_attribute(element, "missing", 4.0) == 4.0
    assert xml.number_attribute(element, "inf", infinite=True) == float("inf")
    assert xml.number_attributes(element, "one", 3, min_count=1) == (7.0,)


def test_missing_and_wrong_words():
    element = xml.read_text('<a type="hinje"/>')
    with pytest.raises(DescriptionError, match="needs the attribute 'name'"):
        xml.text_attribute(element, "name")
    with pytest.raises(DescriptionError, match="Did you mean 'hinge'"):
        xml.choice_attribute(element, "type", ("hinge", "slide"))


def test_a_mechanism_error_is_given_its_place():
    element = xml.read_text('<joint name="j"/>', "f")
    with pytest.raises(MechanismError, match=r'^f:1: <joint name="j">: bad axis$'), error_location(*element.where):
        raise MechanismError("bad axis")
    with pytest.raises(MechanismError, match=r'^f:1: <joint name="j">: bad axis$'), error_location(*element.where):
        raise MechanismError("bad axis", where=MechanismPart("joint", "j"))  # its name is said once
    with pytest.raises(MechanismError, match=r"^f:1: <joint name=\"j\">: joint 'k': bad axis$"), error_location(*element.where):
        raise MechanismError("bad axis", where=MechanismPart("joint", "k"))


def test_an_end_tag_too_many_after_the_end_is_passed_over():
    with pytest.warns(ReaderWarning, match="m.xml:2: an unmatched end tag"):
        root = xml.read_text("<mujoco><a/></mujoco>\n  </mujoco>\n", "m.xml")
    assert [e.tag for e in root.walk()] == ["mujoco", "a"]
    for text in ("<a></b></a>", "<a/></b><c/>", "<a/></b></c>", "<a/>text", "</a>", "<a><b></a></a>"):
        with pytest.raises(DescriptionError, match="not XML"):
            xml.read_text(text)


def test_dashes_in_comments():
    text = "<a>\n<!-- --verbose <b/> -- --->\n<!-- fine - here --><c n='--'/>\n<![CDATA[<!-- -- -->]]></a>"
    with pytest.warns(ReaderWarning, match="m.xml:2: a comment contains --"):
        root = xml.read_text(text, "m.xml")
    assert [(e.tag, e.line) for e in root.walk()] == [("a", 1), ("c", 3)]
    assert root.children[0].attributes == {"n": "--"}
    assert root.text == "<!-- -- -->"  # this is no comment
    for wrong in ("<a><!-- -- </a>", "<a><!-- -- --><b c=1/></a>", "<a b='<!-- -- -->'/>", "<!-- -- " * 100_000):
        with warnings.catch_warnings(action="ignore"), pytest.raises(DescriptionError, match="not XML"):
            xml.read_text(wrong)


def test_attributes_without_a_blank_between_them():
    text = """<a>\n<b c='"d='e="'g>"h="i"/>'<j k="l"m="n">"o"p</j></a>"""
    with pytest.warns(ReaderWarning, match="m.xml:2: attributes without a space"):
        root = xml.read_text(text, "m.xml")
    assert [(e.tag, e.attributes) for e in root.walk()] == [
        ("a", {}),
        ("b", {"c": '"d=', "e": "'g>", "h": "i"}),
        ("j", {"k": "l", "m": "n"}),
    ]


def test_comments_before_the_declaration():
    with pytest.warns(ReaderWarning, match="m.xml:1: white space, a comment or a byte-order mark before the XML declaration"):
        root = xml.read_text("<!-- a licence\n-->\n<!-- and -- more -->\n<?xml version='1.0'?>\n<a/>", "m.xml")
    assert (root.tag, root.line) == ("a", 5)


class _Counted(bytes):
    """Bytes that count how often something is counted in them."""

    counts = 0

    def count(self, *arguments):
        self.counts += 1
        return super().count(*arguments)


def test_a_file_that_is_sloppy_all_over_is_mended_in_one_pass():
    """Lines were counted from the start for every place: 20,000 of them took a second, and a long file hours."""
    data = _Counted(b"<a>" + b"<!-- -- -->\n<b x='1'y='2'/>" * 500 + b"</a>")
    mended, actual = xml.repair_xml(data)
    assert actual == {xml.DOUBLE_DASH: 1, xml.MISSING_SPACE: 2}
    assert mended.count(b"'1' y") == 500
    assert data.counts <= 2
