"""`gascl devices`, against what pyopencl says."""

import re

import gascl


def test_devices(gascl_, monkeypatch):
    monkeypatch.delenv("GASCL_DEVICE", raising=False)
    code, out, err = gascl_("devices")
    assert (code, err) == (0, "")
    for index, device in enumerate(gascl.devices()):
        assert f" {index}: {device.kind}, {device.name} ({device.platform})\n" in out
        assert f"{device.cl.max_compute_units} compute units" in out
        assert all(f"lacks {missing}" in out for missing in device.lacks())
    assert len(re.findall(r"^\* \d+: ", out, re.M)) == 1
    monkeypatch.setenv("GASCL_DEVICE", "abacus")
    code, out, err = gascl_("devices")
    assert code == 0
    assert err.startswith("gascl: warning: there is no device named GASCL_DEVICE='abacus'")
    assert not re.search(r"^\*", out, re.M)
