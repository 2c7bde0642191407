"""Edges and nodes of GML and GraphML read as columns are what the file's parser reads."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.case_subsets import thinned

from gascl import Graph
from gascl.errors import GasclError
from gascl.io import regular_markup

pytest.importorskip("networkx")
pytest.importorskip("defusedxml")

GML = (
    "graph [\n  directed 1\n" + "".join(f"  node [\n    id {i}\n  ]\n" for i in range(12))
) + "".join(
    f"  edge [\n    source {i % 12}\n    target {i * 5 % 12}\n    weight {i * 7 % 10}\n"
    f"    length {i / 4}\n  ]\n"
    for i in range(40)
)
GRAPHML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '  <key id="d0" for="edge" attr.name="weight" attr.type="TYPE"/>\n'
    '  <graph edgedefault="undirected">\n'
    + "".join(f'    <node id="n{i}"/>\n' for i in range(12))
    + "".join(
        f'    <edge source="n{i % 12}" target="n{i * 5 % 12}">\n'
        f'      <data key="d0">{i * 7 % 10}</data>\n    </edge>\n'
        for i in range(40)
    )
)
TEXTS = {
    "gml": GML + "]\n",
    "long.graphml": GRAPHML.replace("TYPE", "long") + "  </graph>\n</graphml>\n",
    "double.graphml": GRAPHML.replace("TYPE", "double") + "  </graph>\n</graphml>\n",
    "string.graphml": GRAPHML.replace("TYPE", "string") + "  </graph>\n</graphml>\n",
    "bare.graphml": re.sub(r">\s*<data.*?</edge>", "/>", GRAPHML.replace("TYPE", "int"), flags=re.S)
    + "  </graph>\n</graphml>\n",
}
OLD_NEW = [
    *[("weight 7", "weight 7.5"), ("weight 7", "weight 1e3"), ("weight 7", "weight -7")],
    *[("weight 7", 'weight "7"'), ("weight 7", "weight 7x"), ("weight 7", "weight nan")],
    *[("weight 7", "weight 99999999999999999999"), ("weight 7\n", ""), ("weight 7", "cost 7")],
    *[("weight 7", "weight 007"), ("weight 7", "weight +7"), ("weight 7", "weight 7 weight 8")],
    *[("weight", "key"), ("length", "Length2"), ("length 0.25", "length 1")],
    *[("source 5", "source 77"), ("source 5", "source 05"), ("source 5", 'source "5"')],
    *[("id 5", "id 4"), ("id 5", 'id "5"'), ("id 5", "id 05"), ("id 5", "id -5")],
    *[("id 5", 'id 5 label "edge [ source 1 target 2 ]"'), ("edge [", "# c\n edge ["), ("]", "")],
    *[("directed 1", "directed 0"), ("directed 1", "x [ directed 1"), ("  node [", "\n node  [")],
    *[(">7<", ">7.5<"), (">7<", ">x<"), (">7<", "> 7 <"), (">7<", "><"), (">7<", ">1e3<")],
    *[('"n5"', '"n05"'), ('"n5"', '"m5"'), ('id="n5"', 'id="n4"'), ('"n5"', '"5"')],
    *[('source="n5"', 'source="n77"'), ("<edge", "<!-- c --><edge"), ("<edge", '<edge id="e"')],
    *[("</graph>", "<!-- </graph>"), ("</edge>", ""), ("<edge", '<edge directed="true"')],
    *[("/></key", "/>"), ('"d0" for', '"d1" for'), ("n5", "n&#53;"), ("weight", "wei ght")],
    *[('type="long"/>', 'type="long"><default>3</default></key>'), ("n", "v"), ("\n", "\r\n")],
    *[('for="edge"', 'for="all"'), ("undirected", "directed"), ("    ", "\t"), ("\n", " ")],
    *[("<node", "<!-- c --><node"), ("<node", '<node a="1"'), ('"/>\n    <n', '"></node>\n<n')],
    *[("node [", "# node ["), ("id 5\n", "id 5\n label 5\n"), ("node [", "# c\n node [")],
    *[("<node", "<!-- <node"), (" id=", "  id="), ('id="n', 'id="')],
    ('"n5"/>', '"n5"><data key="d0">1</data></node>'),
    ('"n5"/>', '"n5"><graph edgedefault="directed"/></node>'),
    ("<key", '<key id="d1" for="node" attr.name="a" attr.type="long"/><key'),
    ("<key", '<key id="d1" for="node" attr.name="a"><default>3</default></key><key'),
]


def read(path, least, monkeypatch, **options):
    with monkeypatch.context() as patch:
        patch.setattr(regular_markup, "LEAST", least)
        patch.setattr(regular_markup, "PIECE", 200)
        try:
            return Graph.read(path, **options)
        except GasclError as error:
            return str(error)


def check_alike(path, monkeypatch, **options):
    mine, whole = (read(path, least, monkeypatch, **options) for least in (0, 1 << 60))
    assert type(mine) is type(whole)
    if isinstance(whole, str):
        assert mine == whole
        return None
    assert mine.report == whole.report and mine.directed == whole.directed
    assert mine.labels.tolist() == whole.labels.tolist()
    assert mine.edge_src.tolist() == whole.edge_src.tolist()
    assert mine.edge_dst.tolist() == whole.edge_dst.tolist()
    for fields, others in (
        (mine.edge_fields, whole.edge_fields),
        (mine.vertex_fields, whole.vertex_fields),
    ):
        assert list(fields) == list(others)
        for name, values in fields.items():
            assert values.dtype == others[name].dtype, name
            np.testing.assert_array_equal(values, others[name])
    return mine


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("directed", [None, True, False])
def test_plain_files(tmp_path, monkeypatch, name, directed):
    path = tmp_path / f"a.{name}"
    path.write_text(TEXTS[name])
    cut = []
    read = regular_markup.Records.columns

    def columns(self, *given):
        cut.append(self.ids)
        return read(self, *given)

    monkeypatch.setattr(regular_markup.Records, "columns", columns)
    graph = check_alike(path, monkeypatch, directed=directed)
    # An attribute of text is left to the format's parser.
    assert cut == ([1] if name == "string.graphml" else [1, 2])
    assert graph.num_edges >= 40
    fields = {"gml": ["weight", "length"], "bare.graphml": []}.get(name, ["weight"])
    assert list(graph.edge_fields) == fields


@pytest.mark.parametrize(("name", "old_new"), thinned(TEXTS, OLD_NEW))
def test_other_files(tmp_path, monkeypatch, name, old_new):
    """The first place, one in the middle, the last one, or all of them changed."""
    (old, new), text = old_new, TEXTS[name]
    places = [found.start() for found in re.finditer(re.escape(old), text)]
    texts = [text.replace(old, new)] if places else []
    for at in {0, len(places) // 2, len(places) - 1} if places else ():
        begin = places[at]
        texts.append(text[:begin] + new + text[begin + len(old) :])
    path = tmp_path / f"a.{name}"
    for each in texts:
        path.write_bytes(each.encode())
        check_alike(path, monkeypatch)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.sampled_from(list(TEXTS)), st.data())
def test_damage(tmp_path_factory, name, data):
    content = bytearray(TEXTS[name].encode())
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            content[place] = data.draw(st.sampled_from(b'0 9-.e"<>[]\n#xn'))
        else:
            del content[place : place + data.draw(st.integers(1, 40))]
    path = tmp_path_factory.getbasetemp() / f"a.{name}"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        check_alike(path, patch)
