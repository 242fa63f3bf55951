# SPDX-License-Identifier: Apache-2.0
"""Downloads against a real server on loopback: resumed, retried, atomic, clear when the address has moved."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from euroglue.errors import RawFileError
from euroglue.prepare.download import download

CONTENT = bytes(range(256)) * 4096


class Handler(BaseHTTPRequestHandler):
    """Serves CONTENT with ranges; the path says how it fails first."""

    seen: list = []
    failures = 0

    def do_GET(self):
        cls = type(self)
        wanted = self.headers.get("Range")
        cls.seen.append(wanted)
        if self.path == "/gone":
            return self.send_error(404)
        if self.path in ("/busy", "/limited") and cls.failures < 2:
            cls.failures += 1
            return self.send_error(503 if self.path == "/busy" else 429)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.path != "/no-ranges" else 0
        if start >= len(CONTENT):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        stop = start + 300_000 if self.path == "/breaks" else len(CONTENT)
        self.wfile.write(CONTENT[start:stop])

    def log_message(self, *_):
        """Keep the test's output quiet."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr("euroglue.prepare.download.time.sleep", lambda seconds: None)
    Handler.seen, Handler.failures = [], 0
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}"
    running.shutdown()


@pytest.mark.issue("mteb#1019")
@pytest.mark.parametrize("path", ["/plain", "/busy", "/limited", "/breaks", "/no-ranges"])
def test_a_file_arrives_whole(server, tmp_path, path):
    file = tmp_path / "sub" / "a.zip"
    download(server + path, file, advice="put it there")
    assert file.read_bytes() == CONTENT
    assert not file.with_name("a.zip.part").exists()


def test_a_broken_transfer_goes_on_where_it_stopped(server, tmp_path):
    download(server + "/breaks", tmp_path / "a", advice="")
    starts = [int(wanted[6:-1]) for wanted in Handler.seen[1:]]
    assert Handler.seen[0] is None and starts == sorted(set(starts)) and len(starts) >= 3 and starts[0] > 200_000


def test_a_part_left_by_a_killed_process_is_used(server, tmp_path):
    (tmp_path / "a.part").write_bytes(CONTENT[:1000])
    download(server + "/plain", tmp_path / "a", advice="")
    assert Handler.seen == ["bytes=1000-"] and (tmp_path / "a").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(server, tmp_path):
    (tmp_path / "a.part").write_bytes(CONTENT + b"more")
    download(server + "/plain", tmp_path / "a", advice="")
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.issue("EuroEval#a-missing-page-is-no-treebank")
def test_a_moved_address_is_named_with_what_to_do(server, tmp_path):
    with pytest.raises(RawFileError, match=r"/gone: the server answered 404; the address may have moved.*put it there"):
        download(server + "/gone", tmp_path / "a", advice="put it there")
    assert len(Handler.seen) == 1 and not (tmp_path / "a").exists()


def test_no_answer_is_named_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("euroglue.prepare.download.time.sleep", lambda seconds: None)
    with pytest.raises(
        RawFileError, match=r"could not be fetched \(ConnectionError\); check the connection, or put it there"
    ):
        download("http://127.0.0.1:9/a", tmp_path / "a", advice="put it there")


def test_a_file_that_is_there_is_not_fetched_again(server, tmp_path):
    (tmp_path / "a").write_bytes(b"mine")
    download(server + "/plain", tmp_path / "a", advice="")
    assert Handler.seen == [] and (tmp_path / "a").read_bytes() == b"mine"
