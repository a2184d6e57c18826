"""A reality as one being sees it: the four verbs, what waits, what was, and what happens."""

import email.utils
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional, cast

from . import shapes
from .operations import OPERATIONS
from .stream import events_in

TRIES = 3
RETRY_SECONDS = (0.2, 5.0)
# How often an answer is asked for again after nothing of it came.
STREAM_TRIES = 6
# A caller that is told to wait longer is told so, and decides itself.
PAUSE_SECONDS_MAX = 60.0
# A proxy without a server behind it, one that waited too long for it, and a server whose services are away.
AWAY = (502, 503, 504)
# A lost connection, and an answer that was cut short.
LOST = (OSError, http.client.HTTPException, json.JSONDecodeError)
# The server writes at least each 10 s, so a stream on which nothing comes for longer is lost.
SILENCE_SECONDS = 45.0
# A summon waits up to 300 s.
TIMEOUT_SECONDS = 330.0


class Problem(Exception):
    """A refusal: `code` as on the command line, and in words what is wrong."""

    def __init__(self, status: int, told: Mapping[str, Any], retry_after: Optional[str] = None) -> None:
        super().__init__(told.get("detail") or f"the server answered {status}")
        self.status = status
        #: how many seconds to wait before the same request is sent again; None for an answer that counts
        self.pause = pause_before(status, retry_after)
        self.code: str = told.get("code") or "INTERNAL"
        #: the particulars, such as the moment that was refused
        self.context = told.get("context")


class Treeos:
    """:param url: the address of the portal, such as http://localhost:7438
    :param token: an access token: `treeos token create`
    :param silence: how long a stream may be silent before it is lost
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = TIMEOUT_SECONDS, silence: float = SILENCE_SECONDS
    ) -> None:
        self._url = url.rstrip("/") + "/api/v1"
        self._token = token
        self._timeout = timeout
        self._silence = silence

    # the four verbs

    def see(self, address: str) -> shapes.Descriptor:
        return cast(shapes.Descriptor, self.call("see", query={"address": address}))

    def do(
        self,
        operation: str,
        target: Optional[str] = None,
        args: Optional[Mapping[str, Any]] = None,
        *,
        key: Optional[str] = None,
    ) -> shapes.Act:
        body = {"operation": operation, "target": target, "args": args}
        return cast(shapes.Act, self.call("do", body=body, key=key or new_key()))

    def be(
        self,
        operation: str,
        args: Optional[Mapping[str, Any]] = None,
        *,
        key: Optional[str] = None,
    ) -> shapes.Act:
        body = {"operation": operation, "args": args}
        return cast(shapes.Act, self.call("be", body=body, key=key or new_key()))

    def summon(
        self,
        target: Optional[str],
        content: Any,
        *,
        wait_seconds: Optional[float] = None,
        thread: Optional[str] = None,
        channel: Optional[str] = None,
        priority: Optional[str] = None,
        role: Optional[str] = None,
        expect_reply: Optional[bool] = None,
        overlay: Optional[str] = None,
        key: Optional[str] = None,
    ) -> shapes.Summoned:
        """Speaks to a being. With `wait_seconds` it waits for the answer."""
        body = {
            "target": target,
            "content": content,
            "waitSeconds": wait_seconds,
            "thread": thread,
            "channel": channel,
            "priority": priority,
            "role": role,
            "expectReply": expect_reply,
            "overlay": overlay,
        }
        return cast(shapes.Summoned, self.call("summon", body=body, key=key or new_key()))

    def summon_stream(
        self, target: str, content: Any, *, thread: Optional[str] = None, key: Optional[str] = None
    ) -> Iterator[Dict[str, Any]]:
        """Speaks to a being, and hears its answer as it is written.

        Yields `{"type": "sent"}`, then `{"type": "words", "text"}`, and at last `{"type": "answer", "summoned"}`.
        The answer counts: it may be another text than the words. After a lost connection it goes on listening with the
        same key, so nothing is said twice; words that came meanwhile are missed.
        """
        body = {"target": target, "content": content, "thread": thread}
        headers = {"idempotency-key": key or new_key()}
        left, is_sent = STREAM_TRIES, False
        while True:
            left, pause = left - 1, RETRY_SECONDS[0]
            try:
                with self._open("summonStream", body=body, headers=headers, timeout=self._silence) as stream:
                    for event in events_in(stream):
                        told, kind = json.loads(event["data"]), event.get("event")
                        left = STREAM_TRIES
                        if kind == "problem":
                            raise Refused(Problem(told["status"], told))
                        if kind == "answer":
                            yield {"type": "answer", "summoned": told}
                            return
                        if kind != "sent" or not is_sent:
                            yield {"type": kind, **told}
                        is_sent = is_sent or kind == "sent"
                raise ConnectionError("the stream ended before the answer: ask again with the same key")
            except Refused as refused:
                raise refused.problem from None
            except Problem as problem:
                if left == 0 or problem.pause is None:
                    raise
                pause = problem.pause
            except LOST:
                if left == 0:
                    raise
            time.sleep(pause)

    # who I am, and what waits

    def me(self) -> shapes.Self:
        return cast(shapes.Self, self.call("me"))

    def inbox(self) -> Iterator[shapes.InboxEntry]:
        """What waits for an answer, oldest first; all pages."""
        return cast(Iterator[shapes.InboxEntry], self.pages("inbox"))

    def reply(
        self,
        correlation: str,
        content: Any,
        *,
        wait_seconds: Optional[float] = None,
        expect_reply: Optional[bool] = None,
        key: Optional[str] = None,
    ) -> shapes.Summoned:
        body = {
            "correlation": correlation,
            "content": content,
            "waitSeconds": wait_seconds,
            "expectReply": expect_reply,
        }
        return cast(shapes.Summoned, self.call("reply", body=body, key=key or new_key()))

    def approvals(self) -> Iterator[shapes.Approval]:
        """Calls that wait for my yes, oldest first; all pages."""
        return cast(Iterator[shapes.Approval], self.pages("approvals"))

    def approve(self, id: str, args: Optional[Mapping[str, Any]] = None, *, key: Optional[str] = None) -> shapes.Act:
        return cast(shapes.Act, self.call("approve", body={"id": id, "args": args}, key=key or new_key()))

    def deny(self, id: str, why: Optional[str] = None, *, key: Optional[str] = None) -> shapes.Act:
        return cast(shapes.Act, self.call("deny", body={"id": id, "why": why}, key=key or new_key()))

    # what was

    def moments(self, name: str) -> Iterator[shapes.Moment]:
        """Finished moments of a being, newest first; all pages."""
        return cast(Iterator[shapes.Moment], self.pages("moments", path={"name": name}))

    def explain(self, name: str, n: int) -> Dict[str, Any]:
        return cast(Dict[str, Any], self.call("explain", path={"name": name, "n": n}))

    def prompt(self, name: str, n: int) -> shapes.Prompt:
        return cast(shapes.Prompt, self.call("prompt", path={"name": name, "n": n}))

    def budget(self, name: str) -> shapes.Budget:
        return cast(shapes.Budget, self.call("budget", path={"name": name}))

    def threads(self) -> Iterator[shapes.Thread]:
        return cast(Iterator[shapes.Thread], self.pages("threads"))

    def thread(self, id: str) -> shapes.Conversation:
        return cast(shapes.Conversation, self.call("thread", path={"id": id}))

    def journal(self, *, after: Optional[str] = None, being: Optional[str] = None) -> Iterator[Dict[str, Any]]:
        """What happens, as it happens. A lost connection is opened again after the last event that came."""
        pause, longest = RETRY_SECONDS
        while True:
            headers = {} if after is None else {"last-event-id": after}
            told = 0.0
            try:
                with self._open(
                    "journal", query={"being": being}, headers=headers, timeout=self._silence
                ) as answer:
                    for event in events_in(answer):
                        pause = RETRY_SECONDS[0]
                        after = event.get("id", after)
                        if event.get("event") != "begin":
                            yield json.loads(event["data"])
            except Problem as problem:
                if problem.status < 500 and problem.status != 429:
                    raise
                told = problem.pause or 0.0
            except LOST:
                pass  # the connection is lost
            time.sleep(max(pause, told))
            pause = min(2 * pause, longest)

    # any operation

    def call(
        self,
        operation: str,
        *,
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        key: Optional[str] = None,
    ) -> Any:
        """Calls an operation of the description by its name. None is left out of query and body.

        :param key: an idempotency key; with one, a request is sent again after a lost connection or answer
        """
        headers = {} if key is None else {"idempotency-key": key}
        may_repeat = key is not None or OPERATIONS[operation][0] == "GET"
        for left in range(TRIES - 1, -1, -1):
            try:
                with self._open(operation, path=path, query=query, body=body, headers=headers) as answer:
                    return json.loads(answer.read())
            except Problem as problem:
                if left == 0 or not may_repeat or problem.pause is None:
                    raise
                pause = problem.pause
            except LOST:
                if left == 0 or not may_repeat:
                    raise
                pause = RETRY_SECONDS[0]
            time.sleep(pause)

    def pages(self, operation: str, *, path: Optional[Mapping[str, Any]] = None) -> Iterator[Any]:
        """The items of a list, page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.call(operation, path=path, query={"cursor": cursor})
            yield from page["items"]
            cursor = page["next"]
            if cursor is None:
                return

    def _open(
        self,
        operation: str,
        *,
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        headers: Mapping[str, str],
        timeout: Optional[float] = None,
    ) -> Any:
        method, template = OPERATIONS[operation]
        quoted = {name: urllib.parse.quote(str(value), safe="") for name, value in (path or {}).items()}
        url = self._url + template.format(**quoted)
        asked = urllib.parse.urlencode(given(query))
        request = urllib.request.Request(url + (f"?{asked}" if asked else ""), method=method)
        request.add_header("authorization", f"Bearer {self._token}")
        for name, value in headers.items():
            request.add_header(name, value)
        if method != "GET":
            request.add_header("content-type", "application/json")
            request.data = json.dumps(given(body)).encode()
        try:
            return urllib.request.urlopen(request, timeout=timeout or self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise Problem(error.code, problem_in(body_of(error)), error.headers.get("retry-after")) from None


class Refused(Exception):
    """A problem that a stream told: it is an answer, and no reason to ask again."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def body_of(error: urllib.error.HTTPError) -> bytes:
    """What there is of it: the status counts, although the connection was lost after it."""
    try:
        return error.read()
    except http.client.IncompleteRead as cut:
        return cut.partial
    except OSError:
        return b""


def pause_before(status: int, retry_after: Optional[str]) -> Optional[float]:
    """How many seconds to wait before the same request is sent again; None for an answer that counts."""
    if status != 429 and status not in AWAY:
        return None
    if retry_after is None:
        return None if status == 429 else RETRY_SECONDS[0]
    try:
        seconds = float(retry_after) if retry_after.strip().isdigit() else seconds_until(retry_after)
    except (TypeError, ValueError):
        return RETRY_SECONDS[0]
    return None if seconds > PAUSE_SECONDS_MAX else max(RETRY_SECONDS[0], seconds)


def seconds_until(date: str) -> float:
    return email.utils.parsedate_to_datetime(date).timestamp() - time.time()


def problem_in(text: bytes) -> Mapping[str, Any]:
    """Problem details. A proxy in front of the API may answer without."""
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def given(values: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    return {name: value for name, value in (values or {}).items() if value is not None}


def new_key() -> str:
    return str(uuid.uuid4())


def operations() -> List[str]:
    """The names of all operations."""
    return sorted(OPERATIONS)
