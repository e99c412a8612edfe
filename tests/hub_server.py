"""A Hub for tests: the routes that the Hub's client uses to publish and download datasets, as a process of its own.

    python -m tests.hub_server        prints its address, then serves until it is killed

Tokens: `hf_writer` may do all, `hf_reader` may only read. `POST /_fault {"route", "status", "message", "times"}` makes
the next requests whose `METHOD path` contains `route` fail; `GET /_requests` lists what was asked for.
"""

import base64
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote

LARGE = (".parquet", ".png")
"""What goes to large file storage, by its ending, as the Hub decides by `.gitattributes`."""
Files = dict[str, tuple[str, bytes]]
"""Path -> (`regular` or `lfs`, content)."""


@dataclass
class Repository:
    private: bool
    commits: dict[str, Files] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pull_requests: list[dict] = field(default_factory=list)

    def commit(self, branch: str, files: Files) -> str:
        listing = json.dumps([sorted((path, _sha256(data)) for path, (_, data) in files.items()), len(self.commits)])
        oid = hashlib.sha1(listing.encode()).hexdigest()
        self.commits[oid] = files
        self.branches[branch] = oid
        return oid

    def resolve(self, revision: str) -> str:
        oid = self.branches.get(revision) or self.tags.get(revision) or revision
        if oid not in self.commits:
            raise Refused(404, "Invalid rev id", "RevisionNotFound")
        return oid


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    def __init__(self, status: int, message: str, code: str | None = None):
        self.status, self.message, self.code = status, message, code


repositories: dict[str, Repository] = {}
large: dict[str, bytes] = {}
faults: list[dict] = []
requests: list[str] = []
lock = threading.Lock()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _git_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def serve(self):
        self.path, _, query = self.path.partition("?")
        self.query = {name: values[0] for name, values in parse_qs(query).items()}
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        try:
            with lock:
                self._fail_if_asked_to()
                answer = self._answer()
        except Refused as refused:
            headers = {"X-Error-Message": refused.message}
            if refused.code:
                headers["X-Error-Code"] = refused.code
            self._send(refused.status, json.dumps({"error": refused.message}).encode(), headers)
        else:
            if isinstance(answer, tuple):
                self._send(200, *answer)
            else:
                self._send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    do_GET = do_POST = do_PUT = do_HEAD = serve  # noqa: N815

    def _send(self, status, content, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _fail_if_asked_to(self):
        line = f"{self.command} {unquote(self.path)}"
        if self.path.startswith("/_"):
            return
        requests.append(line)
        for fault in faults:
            if fault["route"] in line and fault["times"] > 0:
                fault["times"] -= 1
                raise Refused(fault["status"], fault["message"])

    def _answer(self):
        for method, pattern, answer in ROUTES:
            if method in (self.command, "ANY") and (match := re.fullmatch(pattern, self.path)):
                return answer(self, *map(unquote, match.groups()))
        raise Refused(404, f"no route {self.command} {self.path}")

    def json(self):
        return json.loads(self.body)

    def may(self, write):
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token not in ("hf_writer", "hf_reader"):
            raise Refused(401, "Invalid credentials in Authorization header")
        if write and token != "hf_writer":
            raise Refused(403, "you need the role write")

    def repository(self, name, write=False):
        self.may(write)
        if name not in repositories:
            raise Refused(404, "Repository not found", "RepoNotFound")
        return repositories[name]

    # what the routes do

    def fault(self):
        faults.append({"times": 10**9, "message": "made to fail", **self.json()})
        return {}

    def asked(self):
        return requests

    def create(self):
        self.may(write=True)
        asked = self.json()
        name = f"{asked['organization']}/{asked['name']}"
        if asked["organization"] != "team":
            raise Refused(403, f"you have no rights in the namespace {asked['organization']}")
        if name in repositories:
            raise Refused(409, "You already created this dataset repo")
        assert asked["type"] == "dataset"
        repositories[name] = Repository(private=asked.get("visibility") == "private" or bool(asked.get("private")))
        repositories[name].commit("main", {".gitattributes": ("regular", b"*.parquet filter=lfs\n")})
        return {"url": f"{self.server.address}/datasets/{name}", "name": name}

    def info(self, name, revision="main"):
        repository = self.repository(name)
        oid = repository.resolve(revision)
        siblings = [{"rfilename": path} for path in repository.commits[oid]]
        return {"id": name, "sha": oid, "private": repository.private, "siblings": siblings, "tags": []}

    def refs(self, name):
        repository = self.repository(name)

        def listed(kind, refs):
            return [{"name": ref, "ref": f"refs/{kind}/{ref}", "targetCommit": oid} for ref, oid in refs.items()]

        heads = {ref: oid for ref, oid in repository.branches.items() if not ref.startswith("refs/")}
        return {"branches": listed("heads", heads), "tags": listed("tags", repository.tags), "converts": []}

    def tree(self, name, revision):
        repository = self.repository(name)
        files = repository.commits[repository.resolve(revision)]
        rows = []
        for path, (mode, data) in sorted(files.items()):
            row = {"type": "file", "path": path, "size": len(data), "oid": _git_id(data)}
            if mode == "lfs":
                row["oid"] = _git_id(b"pointer to " + _sha256(data).encode())
                row["lfs"] = {"oid": _sha256(data), "size": len(data), "pointerSize": 134}
            rows.append(row)
        return rows

    def validate(self):
        header = self.json()["content"]
        if not header.startswith("---\n"):
            raise Refused(400, "no YAML header")
        return {"errors": [], "warnings": []}

    def preupload(self, name, revision):
        self.repository(name, write="create_pr" not in self.query).resolve(revision)
        files = []
        for file in self.json()["files"]:
            mode = "lfs" if file["path"].endswith(LARGE) else "regular"
            files.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": None})
        return {"files": files}

    def batch(self, name):
        self.repository(name)
        objects = []
        for one in self.json()["objects"]:
            answer = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in large:
                answer["actions"] = {
                    "upload": {"href": f"{self.server.address}/large/{one['oid']}"},
                    "verify": {"href": f"{self.server.address}/_verify"},
                }
            objects.append(answer)
        return {"transfer": "basic", "objects": objects}

    def put(self, oid):
        assert _sha256(self.body) == oid
        large[oid] = self.body
        return {}

    def verify(self):
        one = self.json()
        if len(large.get(one["oid"], b"")) != one["size"]:
            raise Refused(404, "not uploaded")
        return {}

    def commit(self, name, revision):
        as_pull_request = "create_pr" in self.query
        repository = self.repository(name, write=not as_pull_request)
        files = dict(repository.commits[repository.resolve(revision)])
        title = ""
        for line in self.body.splitlines():
            entry = json.loads(line)
            key, value = entry["key"], entry["value"]
            if key == "header":
                title = value["summary"]
            elif key == "file":
                files[value["path"]] = ("regular", base64.b64decode(value["content"]))
            elif key == "lfsFile":
                files[value["path"]] = ("lfs", large[value["oid"]])
            elif key == "deletedFile":
                del files[value["path"]]
            else:
                raise Refused(400, f"no operation {key}")
        number = len(repository.pull_requests) + 1
        oid = repository.commit(f"refs/pr/{number}" if as_pull_request else revision, files)
        answer = {"commitOid": oid, "commitUrl": f"{self.server.address}/datasets/{name}/commit/{oid}"}
        if as_pull_request:
            repository.pull_requests.append({"title": title, "num": number})
            answer["pullRequestUrl"] = f"{self.server.address}/datasets/{name}/discussions/{number}"
        return answer

    def tag(self, name, revision):
        repository = self.repository(name, write=True)
        tag = self.json()["tag"]
        if tag in repository.tags:
            raise Refused(409, "Tag already exists")
        repository.tags[tag] = repository.resolve(revision)
        return {}

    def discussions(self, name):
        listed = [
            {
                "title": one["title"],
                "num": one["num"],
                "author": {"name": "somebody"},
                "createdAt": "2026-01-01T00:00:00.000Z",
                "status": "open",
                "repo": {"name": name, "type": "dataset"},
                "isPullRequest": True,
            }
            for one in self.repository(name).pull_requests
        ]
        return {"discussions": listed, "count": len(listed), "start": 0}

    def download(self, name, revision, path):
        repository = self.repository(name)
        oid = repository.resolve(revision)
        if path not in repository.commits[oid]:
            raise Refused(404, "Entry not found", "EntryNotFound")
        mode, data = repository.commits[oid][path]
        etag = _sha256(data) if mode == "lfs" else _git_id(data)
        return data, {"ETag": f'"{etag}"', "X-Repo-Commit": oid, "Content-Type": "application/octet-stream"}


NAME = "([^/]+/[^/]+)"
ROUTES = [
    ("POST", "/_fault", Handler.fault),
    ("GET", "/_requests", Handler.asked),
    ("PUT", "/large/([0-9a-f]+)", Handler.put),
    ("POST", "/_verify", Handler.verify),
    ("POST", "/api/repos/create", Handler.create),
    ("POST", "/api/validate-yaml", Handler.validate),
    ("GET", f"/api/datasets/{NAME}", Handler.info),
    ("GET", f"/api/datasets/{NAME}/revision/([^/]+)", Handler.info),
    ("GET", f"/api/datasets/{NAME}/refs", Handler.refs),
    ("GET", f"/api/datasets/{NAME}/tree/([^/]+)", Handler.tree),
    ("GET", f"/api/datasets/{NAME}/discussions", Handler.discussions),
    ("POST", f"/api/datasets/{NAME}/preupload/([^/]+)", Handler.preupload),
    ("POST", f"/api/datasets/{NAME}/commit/([^/]+)", Handler.commit),
    ("POST", f"/api/datasets/{NAME}/tag/([^/]+)", Handler.tag),
    ("POST", f"/datasets/{NAME}.git/info/lfs/objects/batch", Handler.batch),
    ("ANY", f"/datasets/{NAME}/resolve/([^/]+)/(.+)", Handler.download),
]


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    print(server.address, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
