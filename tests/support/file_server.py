"""A local HTTP server for downloads, which can truncate them and send errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer(ThreadingHTTPServer):
    """Serves `files`, {path: bytes}, and records the requests.

    Attributes:
        asked: the path of each request.
        cuts: how many bytes of a body the next answers give, one each; then all.
        announced: the Content-Length in place of the true one; None: the true one.
        encoding: the Content-Encoding to claim; "" for none.
        status: the status of all answers; 0: as usual.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.cuts: list[int] = []
        self.announced: int | None = None
        self.encoding = ""
        self.status = 0

    def handle_error(self, request: object, client_address: object) -> None:
        """A client may hang up."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        server = self.server
        server.asked.append(self.path)
        body = server.files.get(self.path)
        if server.status or body is None:
            self.send_error(server.status or 404)
            return
        self.send_response(200)
        length = len(body) if server.announced is None else server.announced
        self.send_header("Content-Length", str(length))
        if server.encoding:
            self.send_header("Content-Encoding", server.encoding)
        self.end_headers()
        self.wfile.write(body[: server.cuts.pop(0)] if server.cuts else body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[FileServer]:
    with FileServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
