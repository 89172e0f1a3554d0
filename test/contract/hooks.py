"""What schemathesis has to know of this API: which resources exist, and which refusals of valid data are allowed."""

import json
import os
import urllib.request

import schemathesis

BASE_URL = os.environ["CONTRACT_BASE_URL"]
API_KEY = os.environ["CONTRACT_API_KEY"]

# These codes say that the input itself is wrong. Every other 422 that an operation declares is a conflict with the
# state of something.
FAULTS_OF_INPUT = {
    "validation_failed",
    "malformed_json",
    "unknown_field",
    "payload_too_large",
    "invalid_cursor",
    "unknown_currency",
    "import_url_forbidden",
    "destination_forbidden",
    "webhook_url_forbidden",
}


def call(method, path, body=None):
    headers = {"X-API-Key": API_KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(BASE_URL + path, method=method, headers=headers)
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(request, data) as response:
        return json.loads(response.read())


UPLOAD = call("POST", "/uploads", {"name": "contract", "mimeType": "video/mp4"})["id"]
DESTINATION = call(
    "POST", "/destinations", {"name": "contract", "rtmpURL": "rtmp://127.0.0.1:9/app", "streamKey": "contract"}
)["id"]
STREAM = call("POST", "/streams", {"name": "contract"})["id"]
PLAYLIST = call("POST", "/playlists", {"streamID": STREAM, "kind": "video", "mode": "sequential"})["id"]
WEBHOOK = call("POST", "/webhooks", {"url": "http://127.0.0.1:9/", "events": ["stream.state_changed"]})["id"]
call("POST", "/streams", {"name": "a second page"})
CURRENCY = call("GET", "/crypto/currencies")[0]["id"]
CURSOR = call("GET", "/streams?limit=1")["page"]["nextCursor"]

# JSON Schema cannot say that an identifier names something, that a URL leads somewhere, or that a key does not look
# like a pasted address. Valid data gets these values, for which that is true.
VALUES = {
    "uploadID": UPLOAD,
    "videoUploadObjectID": UPLOAD,
    "audioUploadObjectID": UPLOAD,
    "destinationID": DESTINATION,
    "streamID": STREAM,
    "targetPlaylistID": PLAYLIST,
    "preparedPlaylistIDs": [PLAYLIST],
    # A playlist that is named here would move to that stream, and be deleted with it.
    "playlistIDs": [],
    "rtmpURL": "rtmp://127.0.0.1:9/app",
    "backupRtmpURL": "rtmp://127.0.0.1:9/backup",
    "url": "https://example.org/video.mp4",
    "rule": "FREQ=DAILY",
    "timeZone": "UTC",
    "scheduleEndAt": "9999-12-31T23:59:59Z",
    "streamKey": "contract-key",
}
# A range of time that is not too long for any granularity.
RANGE = {"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z"}
RESOURCES = {
    "streams": STREAM,
    "uploads": UPLOAD,
    "playlists": PLAYLIST,
    "destinations": DESTINATION,
    "webhooks": WEBHOOK,
}


def filled(value):
    """The value, with those of VALUES in place of members that have their names."""
    if isinstance(value, list):
        return [filled(member) for member in value]
    if not isinstance(value, dict):
        return value
    return {name: value_of(name, member) for name, member in value.items()}


def value_of(name, member):
    if name in VALUES and member not in (None, []):
        return VALUES[name]
    return filled(member)


def playable(operations):
    """Edits that fit whatever is in the playlist: those that name an item or a place depend on the edits before."""
    kept = [edit for edit in operations if edit["op"] in ("add", "setMode", "clear")]
    without_places = [{name: edit[name] for name in edit if name not in ("index", "itemID")} for edit in kept]
    return [{"op": "clear"}, *without_places[:499]]


def is_positive(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    # Resources that other cases need are not deleted.
    if case.method == "DELETE" and case.path_parameters and case.path_parameters.get("id") in RESOURCES.values():
        case.path_parameters["id"] = "gone"
    if not is_positive(case):
        return
    if isinstance(case.body, dict):
        case.body = filled(case.body)
        if isinstance(case.body.get("operations"), list):
            case.body["operations"] = playable(case.body["operations"])
    if case.query and "cursor" in case.query:
        if case.operation.path == "/streams":
            case.query = {"cursor": CURSOR}
        else:
            del case.query["cursor"]
    if case.query and case.operation.path == "/billing/usage":
        case.query = {name: VALUES.get(name, value) for name, value in case.query.items()}
        if RANGE.keys() & case.query.keys():
            case.query |= RANGE
    if case.operation.path.startswith("/crypto/currencies/"):
        case.path_parameters["id"] = CURRENCY
    resource = case.operation.path.split("/")[1]
    # Half of the identifiers stay as they are, so that unknown ones are tried, too.
    if case.path_parameters and "id" in case.path_parameters and resource in RESOURCES and case.method != "DELETE":
        if len(str(case.path_parameters["id"])) % 2:
            case.path_parameters["id"] = RESOURCES[resource]


@schemathesis.check
def accepts_valid_data(context, response, case):
    """Valid data is accepted, names nothing, or meets a conflict of state that the operation declares."""
    if not is_positive(case) or 200 <= response.status_code < 300:
        return
    code = response.json().get("code")
    declared = case.operation.definition.raw["responses"].get(str(response.status_code), {}).get("content", {})
    codes = set(declared.get("application/problem+json", {}).get("examples", {}))
    if response.status_code == 422 and code in codes - FAULTS_OF_INPUT:
        return
    if code in ("not_found", "feature_disabled", "method_not_allowed"):
        return
    raise AssertionError(f"{response.status_code} {code} for data that the schema allows: {response.text[:500]}")


@schemathesis.check
def answers_declared_codes(context, response, case):
    """A problem has a code that the operation declares at that status."""
    if response.status_code < 400:
        return
    document = case.operation.schema.raw_schema
    answer = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    if "$ref" in answer:
        answer = document["components"]["responses"][answer["$ref"].split("/")[-1]]
    codes = answer.get("content", {}).get("application/problem+json", {}).get("examples", {})
    if response.json().get("code") not in codes:
        raise AssertionError(f"{response.json().get('code')} is not declared at {response.status_code}")
