"""A provider of accounts of our own, as Hugging Face is one (OpenID Connect), and a Space's proxy in front of a server."""

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "the-space", "its secret"
SPACE_HOST = "lab-study.hf.space"
ADDRESS = f"https://{SPACE_HOST}"


@dataclass
class Provider:
    """Whoever comes is `somebody`, without being asked; what it says is signed with `key`."""

    somebody: dict[str, str] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"}))
    signs_with: RSAKey | None = None
    address: str = ""
    codes: dict[str, str] = field(default_factory=dict)

    def is_now(self, subject: str, username: str) -> None:
        self.somebody = {
            "sub": subject, "preferred_username": username, "name": username.title(), "profile": f"{self.address}/{username}",
            "picture": f"{self.address}/{username}.png",
        }  # fmt: skip

    def description(self) -> dict[str, Any]:
        return {
            "issuer": self.address, "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token", "userinfo_endpoint": f"{self.address}/userinfo",
            "jwks_uri": f"{self.address}/keys", "id_token_signing_alg_values_supported": ["RS256"],
        }  # fmt: skip

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent back to, with a code that is good once."""
        assert (asked["client_id"], asked["response_type"], asked["scope"]) == (CLIENT, "code", "openid profile")
        code = secrets.token_hex(8)
        self.codes[code] = asked["nonce"]
        mark = "&" if "?" in asked["redirect_uri"] else "?"
        return f"{asked['redirect_uri']}{mark}{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, asked: dict[str, str], authorization: str) -> dict[str, Any] | None:
        told = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        if told != f"{CLIENT}:{SECRET}" or asked.get("code") not in self.codes:
            return None
        moment = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "iat": moment, "exp": moment + 600}
        claims |= {"nonce": self.codes.pop(asked["code"])}
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims | self.somebody, self.signs_with or self.key)
        return {"access_token": "x", "token_type": "bearer", "expires_in": 600, "scope": "openid profile", "id_token": signed}


@contextmanager
def running_provider() -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(place.query).items()}
            if place.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(asked))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif place.path == "/keys":
                self._say({"keys": [provider.key.as_dict(private=False)]})
            else:
                self._say(provider.description())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked = {name: values[0] for name, values in parse_qs(body).items()}
            reply = provider.token(asked, self.headers.get("Authorization", ""))
            self._say(reply or {"error": "invalid_grant"}, 200 if reply else 400)

        def _say(self, reply: dict[str, Any], status: int = 200) -> None:
            content = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield provider
    server.shutdown()
    server.server_close()


class SpaceProxy(httpx.BaseTransport):
    """Reaches the server by its name on Spaces, with https, as the proxy there does it; anything else directly."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._inner = httpx.HTTPTransport(limits=httpx.Limits(max_keepalive_connections=0), trust_env=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host == SPACE_HOST:
            headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"host"]
            host = SPACE_HOST.encode()
            headers += [(b"Host", host), (b"X-Forwarded-Host", host), (b"X-Forwarded-Proto", b"https")]
            url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
            request = httpx.Request(request.method, url, headers=headers, stream=request.stream)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()
