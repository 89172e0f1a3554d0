"""The part of the Python SDK that is written by hand: retries, problems, pages, waiting, uploads and webhooks.

The package has it beside the generated modules, one for each operation in `loop_streaming.api`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from .client import AuthenticatedClient

Resource = TypeVar("Resource")

PART_BYTES = 16 * 1024**2
TRANSIENT = {429, 500, 502, 503, 504}
LONGEST_PAUSE_SECONDS = 60
# Users have a quota of keys, and these requests may run twice.
NO_KEY = {"idempotency-key": ""}
IS_COMPLETE = "resource_in_use"


class LoopProblem(Exception):
    """A refusal of the API, as a problem document (RFC 9457).

    code is stable, such as stream_not_ready; remedy tells whose fault it was and what to do; errors are faults of
    fields; document has everything, such as readiness.
    """

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(document.get("code", "unknown"))
        self.remedy = str(document.get("detail", f"The server answered with status {status}."))
        self.errors: list[dict[str, str]] = list(document.get("errors", []))
        self.document = dict(document)
        super().__init__(f"{self.code}: {self.remedy}")


class RetryingTransport(httpx.BaseTransport):
    """Repeats requests that got no answer, or one that asks for patience, and raises LoopProblem for refusals.

    Each POST has an Idempotency-Key, so that a repeated one has no second effect; an empty one is left out.
    """

    def __init__(self, url: str, attempts: int = 6) -> None:
        self._attempts = attempts
        # httpx looks for a proxy only if it makes the transport itself.
        place = urlsplit(url)
        proxy = None if proxy_bypass(place.hostname or "") else getproxies().get(place.scheme)
        self._within = httpx.HTTPTransport(proxy=proxy)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        is_ours = "x-api-key" in request.headers
        if is_ours and request.method == "POST" and "idempotency-key" not in request.headers:
            request.headers["idempotency-key"] = str(uuid.uuid4())
        if request.headers.get("idempotency-key") == "":
            del request.headers["idempotency-key"]
        request.read()
        attempt = 1
        while True:
            wait_seconds = 0.0
            try:
                response = self._within.handle_request(request)
                if response.status_code < 400:
                    return response
                response.read()
                problem = _problem_of(response)
                is_transient = response.status_code in TRANSIENT or problem.code == "idempotency_in_progress"
                if attempt == self._attempts or not is_transient:
                    raise problem
                wait_seconds = float(response.headers.get("retry-after", 0))
            except httpx.TransportError:
                if attempt == self._attempts:
                    raise
            # Half of the wait is random, so that clients do not return together.
            pause_seconds = max(wait_seconds, 0.5 * 2 ** (attempt - 1) * (0.5 + random.random() / 2))
            time.sleep(min(pause_seconds, LONGEST_PAUSE_SECONDS))
            attempt += 1

    def close(self) -> None:
        self._within.close()


def _problem_of(response: httpx.Response) -> LoopProblem:
    try:
        return LoopProblem(response.status_code, response.json())
    except ValueError:
        return LoopProblem(response.status_code, {})


def connect(api_url: str | None = None, api_key: str | None = None, attempts: int = 6) -> AuthenticatedClient:
    """Returns a client for the generated modules. Defaults: the variables LOOP_API_URL and LOOP_API_KEY."""
    url = api_url or os.environ.get("LOOP_API_URL")
    key = api_key or os.environ.get("LOOP_API_KEY")
    if not url or not key:
        raise ValueError("Set LOOP_API_URL and LOOP_API_KEY, or the arguments api_url and api_key.")
    transport = RetryingTransport(url, attempts)
    return AuthenticatedClient(
        base_url=url,
        token=key,
        prefix="",
        auth_header_name="X-API-Key",
        timeout=httpx.Timeout(60),
        httpx_args={"transport": transport},
    )


def rows_of(read: Callable[..., Any], **arguments: Any) -> Iterator[Any]:
    """Goes through all rows of a list: rows_of(list_streams.sync, client=client)."""
    while True:
        page = read(**arguments)
        yield from page.data
        if not page.page.has_more:
            return
        arguments["cursor"] = page.page.next_cursor


def wait_for(
    read: Callable[[], Resource],
    is_done: Callable[[Resource], bool],
    is_failed: Callable[[Resource], bool] = lambda _: False,
    timeout_seconds: float = 600,
    every_seconds: float = 2,
) -> Resource:
    """Reads a resource every 2 seconds until it is as wanted. A failed one ends the waiting by an error."""
    end = time.monotonic() + timeout_seconds
    while True:
        resource = read()
        if is_done(resource):
            return resource
        if is_failed(resource):
            raise RuntimeError(f"It failed: {resource}")
        if time.monotonic() > end:
            raise TimeoutError(f"It was not done within {timeout_seconds} seconds.")
        time.sleep(every_seconds)


def upload_file(client: AuthenticatedClient, path: str, mime_type: str, parallel: int = 4, **facts: Any) -> str:
    """Uploads a file in parts, and resumes where an interrupted run ended. Until then, a file beside it remembers the
    upload. Returns the ID of the upload, whose content is then examined. facts: name, folder and tags."""
    source = Path(path)
    size = source.stat().st_size
    version = f"{size}-{source.stat().st_mtime_ns}"
    memory = Path(f"{path}.loop-upload")
    upload_id, _, known_version = (memory.read_text() if memory.exists() else "").partition(" ")
    http = client.get_httpx_client()
    # An upload that was abandoned for days is deleted.
    if known_version != version or not _unless("not_found", lambda: http.get(f"/uploads/{upload_id}")):
        body = {"name": source.name, "mimeType": mime_type, "fileSize": size, "multipart": True, **facts}
        upload_id = http.post("/uploads", json=body).json()["id"]
        memory.write_text(f"{upload_id} {version}")

    # A complete upload has no parts any more; another process may have completed it.
    parts = _unless(IS_COMPLETE, lambda: http.get(f"/uploads/{upload_id}/parts"))
    arrived = {part["partNumber"] for part in parts.json()} if parts else set()
    waiting = [number for number in range(1, -(-size // PART_BYTES) + 1) if parts and number not in arrived]
    while True:
        with ThreadPoolExecutor(parallel) as pool:
            list(pool.map(lambda number: _send_part(http, upload_id, source, number), waiting))
        try:
            http.post(f"/uploads/{upload_id}/complete", headers=NO_KEY)
            memory.unlink(missing_ok=True)
            return upload_id
        except LoopProblem as problem:
            if problem.code != "parts_missing":
                raise
            waiting = problem.document["partNumbers"]


def _unless(code: str, send: Callable[[], httpx.Response]) -> httpx.Response | None:
    """Sends a request. A refusal with this code is None."""
    try:
        return send()
    except LoopProblem as problem:
        if problem.code == code:
            return None
        raise


def _send_part(http: httpx.Client, upload_id: str, source: Path, number: int) -> None:
    """Sends a part, with a new URL for each of three attempts, because URLs expire."""
    with source.open("rb") as file:
        file.seek((number - 1) * PART_BYTES)
        content = file.read(PART_BYTES)
    sha256 = base64.b64encode(hashlib.sha256(content).digest()).decode()
    for attempt in range(1, 4):
        body = {"partNumbers": [number], "sha256": [sha256]}
        answer = _unless(
            IS_COMPLETE, lambda: http.post(f"/uploads/{upload_id}/part-urls", json=body, headers=NO_KEY)
        )
        if answer is None:
            return
        part = answer.json()["parts"][0]
        try:
            with httpx.Client(transport=RetryingTransport(part["url"]), timeout=300) as storage:
                storage.request(part["method"], part["url"], headers=part["headers"], content=content)
            return
        except (httpx.TransportError, LoopProblem):
            if attempt == 3:
                raise


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> Any:
    """Verifies a message of a webhook by Standard Webhooks, and returns its event. body: the bytes as they came.

    Raises ValueError if no signature is by this secret, or the message is older than five minutes.
    """
    given = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    moment = time.time() if now is None else now
    if not timestamp.isdigit() or abs(moment - int(timestamp)) > 300:
        raise ValueError("The message is too old.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = hmac.new(key, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(expected).decode()
    signatures = given.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(each, signature) for each in signatures):
        raise ValueError("No signature of the message is by this secret.")
    return json.loads(body)
