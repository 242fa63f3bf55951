# SPDX-License-Identifier: Apache-2.0
"""A Hub on loopback: repositories in memory, with the create, preupload, LFS, commit, tree and resolve protocol."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

TOKEN = "hf_0123456789abcdefghij"
LFS_SUFFIXES = (".parquet", ".safetensors")


@dataclass
class Repo:
    """A repository: its commits, the last of which is the head; each maps paths to contents."""

    private: bool
    commits: dict[str, dict[str, bytes]] = field(default_factory=lambda: {"0" * 40: {}})

    @property
    def head(self) -> str:
        return list(self.commits)[-1]

    def files(self, revision: str) -> dict[str, bytes]:
        return self.commits[self.head if revision == "main" else revision]


class Hub:
    """The server's state, and the faults it is told to have: (method, pattern of the path) → statuses, one a request."""

    def __init__(self) -> None:
        self.repos: dict[tuple[str, str], Repo] = {}
        self.blobs: dict[str, bytes] = {}
        self.faults: dict[tuple[str, str], list[int]] = {}
        self.requests: list[tuple[str, str]] = []
        self.url = ""
        self.spoil = lambda path, content: content

    def fault(self, method: str, path: str) -> int | None:
        for (verb, pattern), statuses in self.faults.items():
            if verb == method and re.search(pattern, path) and statuses:
                return statuses.pop(0)
        return None


class Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def reply(self, status: int, body: object = None, headers: dict[str, str] | None = None) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body if body is not None else {}).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if "Content-Length" not in (headers or {}):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def handle_any(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append((self.command, path))
        status = self.hub.fault(self.command, path)
        if status is not None:
            self.reply(status, {"error": "told to fail"})
        elif not path.startswith("/blobs/") and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.reply(
                401, {"error": f"bad token: {(self.headers.get('Authorization') or '').removeprefix('Bearer ')}"}
            )
        else:
            self.route(path, body)

    do_GET = do_HEAD = do_POST = do_PUT = handle_any

    def route(self, path: str, body: bytes) -> None:
        for verb, pattern, answer in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and self.command in verb:
                answer(self, body, **found.groupdict())
                return
        self.reply(404, {"error": f"no such address {path}"}, {"X-Error-Code": "RepoNotFound"})

    def repo(self, kind: str, name: str) -> Repo | None:
        found = self.hub.repos.get((kind, name))
        if found is None:
            self.reply(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        return found

    def create(self, body: bytes) -> None:
        asked = json.loads(body)
        kind, name = asked.get("type", "model"), f"{asked['organization']}/{asked['name']}"
        exists = (kind, name) in self.hub.repos
        if not exists:
            private = bool(asked.get("private")) or asked.get("visibility") == "private"
            self.hub.repos[kind, name] = Repo(private=private)
        self.reply(409 if exists else 200, {"url": f"{self.hub.url}/{kind}s/{name}"})

    def info(self, body: bytes, kind: str, name: str, revision: str = "main") -> None:
        repo = self.repo(kind, name)
        if repo:
            files = [{"rfilename": path} for path in sorted(repo.files(revision))]
            sha = repo.head if revision == "main" else revision
            about = {"id": name, "sha": sha, "private": repo.private, "siblings": files, "tags": [], "downloads": 0}
            self.reply(200, {**about, "likes": 0, "gated": False, "disabled": False})

    def tree(self, body: bytes, kind: str, name: str, revision: str, folder: str = "") -> None:
        repo = self.repo(kind, name)
        if repo:
            files = repo.files(revision)
            inside = {path: content for path, content in files.items() if path.startswith(folder)}
            if folder and not inside:
                self.reply(404, {"error": "no such folder"}, {"X-Error-Code": "EntryNotFound"})
                return
            folders = sorted({path.rpartition("/")[0] for path in inside if "/" in path} - {folder.rstrip("/")})
            entries = [{"type": "directory", "oid": "d" * 40, "size": 0, "path": each} for each in folders]
            self.reply(200, entries + [entry(path, content) for path, content in sorted(inside.items())])

    def paths_info(self, body: bytes, kind: str, name: str, revision: str) -> None:
        repo = self.repo(kind, name)
        if repo:
            files = repo.files(revision)
            asked = json.loads(body)["paths"]
            known = [entry(path, files[path]) for path in asked if path in files]
            folders = [path for path in asked if any(file.startswith(f"{path}/") for file in files)]
            self.reply(
                200, known + [{"type": "directory", "oid": "d" * 40, "size": 0, "path": path} for path in folders]
            )

    def yaml(self, body: bytes) -> None:
        self.reply(200, {"errors": [], "warnings": []})

    def preupload(self, body: bytes, kind: str, name: str, revision: str) -> None:
        repo = self.repo(kind, name)
        if repo:
            paths = [file["path"] for file in json.loads(body)["files"]]
            modes = [
                {"path": path, "uploadMode": "lfs" if path.endswith(LFS_SUFFIXES) else "regular", "shouldIgnore": False}
                for path in paths
            ]
            self.reply(200, {"files": modes})

    def batch(self, body: bytes, name: str) -> None:
        objects = []
        for one in json.loads(body)["objects"]:
            oid = one["oid"]
            upload = {"href": f"{self.hub.url}/blobs/{oid}"}
            objects.append(one if oid in self.hub.blobs else {**one, "actions": {"upload": upload}})
        self.reply(200, {"transfer": "basic", "objects": objects})

    def blob(self, body: bytes, oid: str) -> None:
        right = hashlib.sha256(body).hexdigest() == oid
        if right:
            self.hub.blobs[oid] = body
        self.reply(200 if right else 400)

    def commit(self, body: bytes, kind: str, name: str, revision: str) -> None:
        repo = self.repo(kind, name)
        if not repo:
            return
        head, *lines = [json.loads(line) for line in body.splitlines()]
        if head["value"].get("parentCommit") not in (None, repo.head):
            self.reply(412, {"error": "A commit has happened since. Please refresh and try again."})
            return
        files = dict(repo.files("main"))
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[value["path"]] = self.hub.blobs[value["oid"]]
            else:
                del files[value["path"]]
        oid = hashlib.sha1(body + str(len(repo.commits)).encode()).hexdigest()
        repo.commits[oid] = files
        self.reply(200, {"commitUrl": f"{self.hub.url}/{kind}s/{name}/commit/{oid}", "commitOid": oid})

    def resolve(self, body: bytes, kind: str, name: str, revision: str, path: str) -> None:
        repo = self.repo(kind.rstrip("s") or "model", name)
        if not repo:
            return
        files = repo.files(revision)
        if path not in files:
            self.reply(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
            return
        content = self.hub.spoil(path, files[path])
        sha = repo.head if revision == "main" else revision
        headers = {"ETag": f'"{entry(path, content)["oid"]}"', "X-Repo-Commit": sha, "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if asked:
            first, last = int(asked[1]), min(int(asked[2] or len(content) - 1), len(content) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            self.reply(206, content[first : last + 1], headers)
        else:
            self.reply(200, content, {**headers, "Content-Length": str(len(content))})


def entry(path: str, content: bytes) -> dict:
    """A file as the Hub's tree lists it."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    about = {"type": "file", "oid": blob, "size": len(content), "path": path}
    if path.endswith(LFS_SUFFIXES):
        about["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return about


KIND, NAME, REVISION = r"(?P<kind>model|dataset|space)s", r"(?P<name>[\w.-]+/[\w.-]+)", r"(?P<revision>[\w.-]+)"
ROUTES = [
    ("POST", r"/api/repos/create", Handler.create),
    ("POST", r"/api/validate-yaml", Handler.yaml),
    ("GET", rf"/api/{KIND}/{NAME}", Handler.info),
    ("GET", rf"/api/{KIND}/{NAME}/revision/{REVISION}", Handler.info),
    ("GET", rf"/api/{KIND}/{NAME}/tree/{REVISION}/?(?P<folder>.*)", Handler.tree),
    ("POST", rf"/api/{KIND}/{NAME}/paths-info/{REVISION}", Handler.paths_info),
    ("POST", rf"/api/{KIND}/{NAME}/preupload/{REVISION}", Handler.preupload),
    ("POST", rf"/api/{KIND}/{NAME}/commit/{REVISION}", Handler.commit),
    ("POST", rf"/(?:datasets/|spaces/)?{NAME}\.git/info/lfs/objects/batch", Handler.batch),
    ("PUT", r"/blobs/(?P<oid>[0-9a-f]{64})", Handler.blob),
    ("GET HEAD", rf"/(?P<kind>datasets|spaces)/{NAME}/resolve/{REVISION}/(?P<path>.+)", Handler.resolve),
]


@contextmanager
def serve():
    """A running Hub; ``url`` is its address."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
