from __future__ import annotations

from ipaddress import ip_network

import pytest

from supervisor.dispatch.address import AddressNotAllowed, AddressPolicy

STUB_ONLY = AddressPolicy(networks=(ip_network("127.0.0.0/8"),), ports=frozenset({9900}))


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",
        "http://[::1]:1/",
        "file:///etc/passwd",
        "http://127.0.0.1:9900@evil.test/",
        "http://2130706433/",
    ],
)
def test_auth_02_addresses_outside_the_allowed_ranges_are_refused(url: str) -> None:
    with pytest.raises(AddressNotAllowed):
        STUB_ONLY.split(url)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/",
        "//host/",
        "host:80",
        "",
        "http://",
        "http://user:pw@host/",
        "http://@host/",
        "http://host:99999/",
        "http://[::1",
        "http://host\\@evil.test/",
        "http://ho st/",
        "http://host/\n",
        "http://0.0.0.0/",
        "http://[fe80::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://224.0.0.1/",
        "http://127.1/",
        "http://0x7f.0x1/",
        "http://169.254.169.254./",
    ],
)
def test_disguised_and_credentialed_addresses_are_refused_by_default(url: str) -> None:
    with pytest.raises(AddressNotAllowed):
        AddressPolicy().split(url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8101", "https://agents.campus.example/a2a/x", "http://canteen", "http://[::1]:1"]
)
def test_plain_addresses_are_allowed_by_default(url: str) -> None:
    assert AddressPolicy().split(url).geturl() == url


def test_a_narrowed_policy_allows_what_it_lists() -> None:
    assert STUB_ONLY.split("http://127.0.0.1:9900/a2a").port == 9900
    named = AddressPolicy(hosts=frozenset({"canteen"}))
    assert named.split("http://canteen:1/").hostname == "canteen"
    for url in ("http://127.0.0.1:9900/", "http://canteen.evil.test/"):
        with pytest.raises(AddressNotAllowed):
            named.split(url)


def test_a_refusal_repeats_no_credentials() -> None:
    with pytest.raises(AddressNotAllowed) as refusal:
        AddressPolicy().split("http://user:hunter2@host/")
    assert "hunter2" not in str(refusal.value)
