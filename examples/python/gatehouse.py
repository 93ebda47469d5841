"""What the application asks of Gatehouse."""

import base64
import hashlib
import hmac
import json
import os
import time
from urllib.parse import urlencode

import requests

URL = os.environ["GATEHOUSE_URL"]
REDIRECT_URI = os.environ["APP_URL"] + "/callback"
RULES = [json.loads(os.environ["RULE"])]
CLIENT = {"client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}
ATTEMPTS = 3
MAX_WAIT_SECONDS = 5


class Unavailable(Exception):
    """Gatehouse, or a blockchain, gives no answer now."""

    def __init__(self, retry_after=10.0):
        super().__init__(f"try again in {retry_after} s")
        self.retry_after = retry_after


class Refused(Exception):
    """Gatehouse refuses the request; `code` says why (docs/errors.md)."""

    def __init__(self, status, code):
        super().__init__(f"{status} {code}")
        self.code = code


def _send(method, path, repeatable=True, **options):
    """A 429 was not carried out, so every request is repeated after it; after other failures only what may be carried out twice."""
    for attempt in range(ATTEMPTS):
        wait = 0.5 * 2**attempt
        try:
            response = requests.request(method, URL + path, timeout=(5, 10), allow_redirects=False, **options)
        except requests.RequestException:
            may_repeat = repeatable
        else:
            if response.status_code not in (429, 502, 503, 504):
                return _read(response)
            may_repeat = repeatable or response.status_code == 429
            told = response.headers.get("Retry-After", "")
            wait = float(told) if told.isdecimal() else wait
        if not may_repeat or wait > MAX_WAIT_SECONDS or attempt == ATTEMPTS - 1:
            raise Unavailable(max(wait, 1.0))
        time.sleep(wait)


def _read(response):
    if response.ok and "json" in response.headers.get("Content-Type", ""):
        return response.json()
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        raise Unavailable() from None  # no answer of Gatehouse
    # OAuth has the code in place of an object.
    raise Refused(response.status_code, error if isinstance(error, str) else error.get("details", {}).get("code"))


def authorization_url(state, verifier):
    """Where a visitor signs in with their wallet: the authorization code flow with PKCE."""
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {
        "response_type": "code",
        "client_id": CLIENT["client_id"],
        "redirect_uri": REDIRECT_URI,
        "scope": "openid user:wallet:read",
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    return f"{URL}/oauth2/authorize?{urlencode(query)}"


def user_id_of(code, verifier):
    """Exchanges the code of a visitor who is back. A code works once, so the exchange is not repeated."""
    form = {**CLIENT, "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI, "code_verifier": verifier}
    tokens = _send("POST", "/oauth2/token", repeatable=False, data=form, headers={"Accept": "application/json"})
    user = _send("GET", "/oauth2/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    return user["sub"]


def has_role(user_id, role):
    """Whether a user has a role now, by whichever of their wallets."""
    headers = {"X-API-Key": os.environ["GATEHOUSE_API_KEY"]}
    answer = _send("POST", "/access-control/check-roles", json={"account": user_id, "rules": RULES}, headers=headers)
    if any(one["id"] == role and one["granted"] for one in answer["roles"]):
        return True
    if any(error.get("roleId") == role for error in answer.get("errors", [])):
        raise Unavailable()  # a blockchain could not be read: this is no "no"
    return False


def is_genuine(headers, body):
    """Verifies a delivery of a callback endpoint (Standard Webhooks, v1). `body` is bytes, exactly as they arrived."""
    delivery, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if len(timestamp) > 12 or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(os.environ["ENDPOINT_SECRET"].removeprefix("whsec_"))
    content = f"{delivery}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, content, "sha256"))
    listed = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, one) for one in listed)
