"""`choices.py` replays what `auto` chooses on graphs that were measured before."""

import choices
import pytest

HEAD = "kind,graph,device,vertices,arcs,ms,auto,others\n"
#: An outbox is chosen for a sum, and `pull` where nothing is sent.
SUM = 'sum of reals,"grid128, undirected",{},16384,65024,2.0,{},"{}"\n'
JUMPING = "pointer jumping,star14,{},16385,32768,1.0,pull,push 0.5\n"


@pytest.mark.parametrize("device", ["PoCL", "NVIDIA H100"])
def test_choices(device, tmp_path, capsys):
    file = tmp_path / "kinds.csv"
    rows = [
        SUM.format(device, "outbox", "slots 1.6, pull 1.0"),
        SUM.format(device, "outbox", "slots 1.6, pull 1.6"),
        SUM.format(device, "slots", "outbox 2.7"),
        SUM.format(device, "slots", "pull 2.5"),  # the choice was not measured
        JUMPING.format(device),
    ]
    file.write_text(HEAD + "".join(rows))
    choices.main([str(file), "--cache", str(tmp_path)])
    *lines, _, last = capsys.readouterr().out.splitlines()
    told = [line.strip("| ").split(" | ")[1:5] for line in lines[2:]]
    assert told == [
        ["sum of reals", "outbox", "pull", "2.00"],
        ["sum of reals", "outbox", "slots", "1.35"],
        ["sum of reals", "outbox", "slots", "nan"],
        ["pointer jumping", "pull", "push", "2.00"],
    ]
    assert last == "3 of 5 choices are above 1.3; of 1 no time is known"
