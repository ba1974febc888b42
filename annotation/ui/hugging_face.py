"""Signing in with Hugging Face, through Gradio's own routes /login/huggingface, /login/callback and /logout.

Only on a Space whose README says `hf_oauth: true`. Anywhere else Gradio would answer these routes with a made-up profile, in a
cookie signed with a secret that everybody knows; so there, neither the routes nor the endpoint are made, and nobody is let in.
What a browser sends is never taken for an account: it is read from the session that Gradio's callback has signed.
"""

import os
from typing import Any
from urllib.parse import urlsplit

import gradio as gr
from gradio import oauth
from gradio.utils import get_space

from annotation.studies.people.accounts import Account
from annotation.studies.people.joining import sign_in_by_account
from annotation.studies.people.sessions import begin_session
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.shelf import OpenStudies
from annotation.web.asked import Asked, Reply, text
from annotation.words.catalogue import translate


def offered() -> bool:
    """Whether Gradio makes its routes with a real provider: the same question that it asks itself."""
    known = (oauth.OAUTH_CLIENT_ID, oauth.OAUTH_CLIENT_SECRET, oauth.OAUTH_SCOPES, oauth.OPENID_PROVIDER_URL)
    return get_space() is not None and all(known)


def place() -> None:
    """Have Gradio make its routes. The door has a button of its own, which knows the study."""
    button = gr.LoginButton(visible=False)
    button.load_event_to_attach = None  # else every page would ask, at an endpoint of its own, how the button is labelled


def let_in(shelf: OpenStudies, asked: Asked, profile: gr.OAuthProfile | None, request: gr.Request) -> Reply:
    """Into the study `asked` for, or the only one, as whom the session says. Raises Refused (SIGN_IN) as joining does."""
    if not offered() or not _from_our_page(request):
        raise CallRefusedError(Reason.SIGN_IN, translate("Signing in with Hugging Face is not possible from here."))
    if profile is None:
        raise CallRefusedError(
            Reason.SIGN_IN, translate("You are not signed in with Hugging Face, or no longer. Sign in there again.")
        )
    study = shelf.named(text(asked, "study"))
    caller = sign_in_by_account(study, Account(str(profile.get("sub") or ""), str(profile.get("preferred_username") or "")))
    return {"token": begin_session(study, caller), "role": caller.role.value, "study": study.name}


def forget(request: gr.Request) -> None:
    """End Gradio's session too, so that the next person at this browser is asked who they are."""
    scope: dict[str, Any] = getattr(request.request, "scope", {})
    scope.get("session", {}).pop("oauth_info", None)


def _from_our_page(request: gr.Request) -> bool:
    """The cookie goes along from any site, and Gradio lets any site read what it answers; a browser says from which."""
    origin = request.headers.get("origin")
    ours = {request.headers.get("host"), *(host.strip() for host in os.environ.get("SPACE_HOST", "").split(","))}
    return origin is None or (urlsplit(origin).netloc or None) in ours - {""}
