"""A lounge for holders, protected on the server."""

import os
import secrets
from functools import wraps

from flask import Flask, after_this_request, jsonify, redirect, request, session

import gatehouse

SESSION_SECRET = os.environ["SESSION_SECRET"]
if len(SESSION_SECRET) < 32:  # whoever knows the secret can sign in as anybody, and an empty one is known to all
    raise SystemExit("SESSION_SECRET has to have 32 characters at least.")

app = Flask(__name__)
app.config.update(
    SECRET_KEY=SESSION_SECRET,
    # Applications on one host share its cookies, whatever their ports, so each needs a name of its own.
    SESSION_COOKIE_NAME="club_python",
    SESSION_COOKIE_SAMESITE="Lax",
    SESSION_COOKIE_SECURE=os.environ["APP_URL"].startswith("https:"),
    PERMANENT_SESSION_LIFETIME=8 * 3600,
    MAX_CONTENT_LENGTH=1024 * 1024,
)


def keep_private(response):
    """No cache, nor the browser after signing out, shows a protected page to somebody else."""
    response.headers["Cache-Control"] = "private, no-store"
    return response


def require_role(role):
    """Lets those see a view who have a role now; others are sent to sign in, or told what is missing."""

    def protect(view):
        @wraps(view)
        def protected(*args, **kwargs):
            after_this_request(keep_private)
            if "user_id" not in session:
                return redirect("/login")
            try:
                allowed = gatehouse.has_role(session["user_id"], role)
            except gatehouse.Refused as refused:
                if refused.code != "account_not_found":
                    raise
                session.clear()  # the user has ended the consent, or kept their wallets to themselves
                return 'Please <a href="/login">sign in</a> and allow this site to see your wallets.', 403
            return view(*args, **kwargs) if allowed else ("None of your wallets holds what this page asks for.", 403)

        return protected

    return protect


@app.get("/")
def home():
    return '<h1>Club</h1><p><a href="/lounge">The lounge</a> is for holders.</p>'


@app.get("/lounge")
@require_role("holder")
def lounge():
    return '<h1>Welcome to the lounge</h1><form method="post" action="/logout"><button>Sign out</button></form>'


@app.get("/login")
def login():
    session.clear()
    session.update(state=secrets.token_urlsafe(32), verifier=secrets.token_urlsafe(48))
    return redirect(gatehouse.authorization_url(session["state"], session["verifier"]))


@app.get("/callback")
def callback():
    state, verifier = session.pop("state", ""), session.pop("verifier", "")
    given, code = request.args.get("state", ""), request.args.get("code")
    if not state or not secrets.compare_digest(state.encode(), given.encode()) or code is None:
        return 'You are not signed in. <a href="/login">Sign in again</a>', 400
    try:
        session["user_id"] = gatehouse.user_id_of(code, verifier)
    except gatehouse.Refused as refused:
        if refused.code != "invalid_grant":
            raise
        return 'The sign-in took too long. <a href="/login">Sign in again</a>', 400
    return redirect("/lounge")


@app.post("/logout")
def logout():
    session.clear()
    return redirect("/")


@app.post("/events")
def events():
    """Receives the events of a callback endpoint."""
    if not os.environ.get("ENDPOINT_SECRET") or not gatehouse.is_genuine(request.headers, request.get_data()):
        return "", 401
    event = request.get_json(force=True)
    if "challenge" in event:
        return jsonify(challenge=event["challenge"])
    # A delivery can come twice: remember its webhook-id for three days if it must not count twice.
    print(event["type"], event["data"], flush=True)
    return "", 204


@app.errorhandler(gatehouse.Unavailable)
def unavailable(error):
    return "Try again in a moment.", 503, {"Retry-After": str(int(error.retry_after))}
