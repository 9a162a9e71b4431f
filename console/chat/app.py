"""The screen of the chat: groups on the left, the tree in the middle, your words below.

┌ groups ──┐┌ dev · those who build ───────────────────────────┐
│ ● dev    ││ alice  who has the key?  12:01                   │
│ ○ floor  ││ └─ bob  I do  12:01                              │
│          ││ held back (1)                                    │
│          ││ └─ carol  thanks!  waits for bob:2               │
└──────────┘└──────────────────────────────────────────────────┘
 in answer to bob: I do
 > _
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, OptionList, Static, Tree

from console.chat.groups import Groups
from console.chat.opening import Opened
from console.chat.orders import HELP, Order, OrderError, Verb, parse
from console.chat.room import Room
from console.chat.style import STYLE
from console.chat.talk import Spoken, Talk
from console.chat.threads import Threads
from console.chat.words import GREY, colour_of, name_shown, shown
from ingest.authentication.errors import KeysError
from ingest.wire.errors import MulticastError, WireError
from members.asking import JoinPolicy
from members.errors import MemberError
from ordering.values import MessageId

LOOK_EVERY_S = 0.25
JOIN_AFTER_S = 0.7
"""How long to listen who has a group before it is joined under the order of who is there."""

ADVERTISE_AGAIN_S = 3.0
PLACEHOLDER = "Write, Enter sends; ↑ chooses a message to answer; /help shows the orders"
CAN_NOT = (MemberError, WireError, KeysError, OrderError)


class ChatApp(App[None]):
    """One person's chat."""

    CSS = STYLE
    TITLE = "precede chat"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+g", "focus_groups", "Groups"),
        Binding("ctrl+t", "focus_threads", "Tree"),
        # Lists and the tree use it themselves; from the line below it leads up into the tree.
        Binding("up", "focus_threads", show=False),
        Binding("escape", "answer_nothing", "Answer nothing", priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(self, opened: Opened, *, where: str, maybe_group: str | None = None) -> None:
        super().__init__()
        self.room = Room(opened, on_spoken=self._on_spoken, on_change=self._on_change)
        self.maybe_failure: MulticastError | None = None
        self._where = where
        self._maybe_first = maybe_group
        self._maybe_current: str | None = None
        self._maybe_answered: MessageId | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        with Horizontal(id="upper"):
            yield Groups(identifier="groups")
            with Vertical(id="middle"):
                yield Threads(identifier="threads", own_name=self.room.name)
                yield Static(id="status")
        yield Static(id="answered")
        yield Input(id="words", placeholder=PLACEHOLDER)
        yield Footer()

    async def on_mount(self) -> None:
        """Begin to listen."""
        try:
            await self.room.host.__aenter__()
        except MulticastError as error:
            self.maybe_failure = error
            self.exit()
            return
        self.query_one(Groups).border_subtitle = shown(self.room.name, most=20)
        self._show_groups()
        self._show_answered()
        self.screen.set_focus(self.query_one("#words", Input))
        self.room.host.advertise()
        self.set_interval(LOOK_EVERY_S, self.room.look_for_held)
        self.set_timer(ADVERTISE_AGAIN_S, self._advertise_again)
        if self._maybe_first is not None:
            self.set_timer(JOIN_AFTER_S, self._join_first)

    def on_unmount(self) -> None:
        """Leave the groups and stop listening."""
        for talk in list(self.room.talks.values()):
            if talk.is_joined and talk.group in self.room.host.manager.memberships:
                self.room.host.leave(talk.group)
        self.room.host.close()

    def _advertise_again(self) -> None:
        if not self.room.talks:
            self.room.host.advertise()
            self.set_timer(ADVERTISE_AGAIN_S, self._advertise_again)

    def _join_first(self) -> None:
        if self._maybe_first is not None and self._maybe_first not in self._joined():
            self._try(lambda: self._join(str(self._maybe_first)))

    def _joined(self) -> list[str]:
        return [talk.group for talk in self.room.talks.values() if talk.is_joined]

    # What the person does.

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send, or do what an order says."""
        text = event.value.strip()
        if text and self._try(lambda: self._obey(text)):
            event.input.clear()

    def _obey(self, text: str) -> None:
        order = parse(text)
        if isinstance(order, Order):
            self._perform(order)
            return
        group = self._need_current()
        self.room.say(group, order, maybe_answered=self._maybe_answered)
        self._answer(None)

    def _perform(self, order: Order) -> None:
        if order.verb is Verb.QUIT:
            self.exit()
        elif order.verb is Verb.HELP:
            self.notify("\n".join(HELP), title="orders", markup=False, timeout=15)
        elif order.verb is Verb.CREATE:
            self.room.create(order.name, order.rest)
            self._open(order.name)
        elif order.verb is Verb.JOIN:
            self._join(order.name, order.history)
        elif order.verb is Verb.LEAVE:
            self._leave(order.name or self._need_current())
        elif order.verb is Verb.WHO:
            names = sorted(self.room.talks[self._need_current()].members)
            self.notify(", ".join(names) or "nobody else", title="who is here", markup=False)
        else:
            self.room.synchronise(self._need_current())

    def _need_current(self) -> str:
        if self._maybe_current is None:
            raise OrderError("you are in no group yet: /create NAME, or /join NAME")
        return self._maybe_current

    def _join(self, group: str, history: JoinPolicy | None = None) -> None:
        if history is None:
            self.room.join(group)
        else:
            self.room.join(group, history)
        self._open(group)

    def _leave(self, group: str) -> None:
        self.room.leave(group)
        self._maybe_current = next(iter(self._joined()), None)
        if self._maybe_current is None:
            threads = self.query_one(Threads)
            threads.show(Talk(""))
            threads.border_title = "no group yet"
        else:
            self._open(self._maybe_current)

    def _try(self, call: Callable[[], object]) -> bool:
        """Do something that may not be possible; then say why not."""
        try:
            call()
        except CAN_NOT as error:
            self.notify(shown(str(error), most=300), severity="warning", markup=False)
            return False
        return True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open a group, and join it if that is not done yet."""
        maybe_name = self.query_one(Groups).name_at(event.option_index)
        if maybe_name is None:
            return
        if self.room.talks[maybe_name].is_joined:
            self._open(maybe_name)
        else:
            self._try(lambda: self._join(maybe_name))
        self.screen.set_focus(self.query_one("#words", Input))

    def on_tree_node_selected(self, event: Tree.NodeSelected[MessageId | None]) -> None:
        """Answer the message on which Enter was pressed."""
        if event.node.data is not None:
            self._answer(event.node.data)
            self.screen.set_focus(self.query_one("#words", Input))

    def action_answer_nothing(self) -> None:
        """Begin a thread of one's own."""
        self._answer(None)
        self.screen.set_focus(self.query_one("#words", Input))

    def action_focus_groups(self) -> None:
        """Go to the list of groups."""
        self.screen.set_focus(self.query_one(Groups))

    def action_focus_threads(self) -> None:
        """Go to the tree, to choose a message."""
        threads = self.query_one(Threads)
        threads.point_somewhere()
        self.screen.set_focus(threads)

    # What is shown.

    def _open(self, group: str) -> None:
        talk = self.room.talks[group]
        self._maybe_current = group
        talk.unread = 0
        threads = self.query_one(Threads)
        threads.show(talk)
        title = shown(group, most=40)
        # Titles of borders are read as markup, so that brackets are told to be brackets.
        threads.border_title = Text(
            f"{title} · {talk.description}" if talk.description else title
        ).markup
        self._answer(None)
        self._show_groups()
        self._show_status(talk)

    def _answer(self, maybe_answered: MessageId | None) -> None:
        self._maybe_answered = maybe_answered
        self._show_answered()

    def _show_answered(self) -> None:
        line = Text(no_wrap=False)
        maybe_talk = self.room.talks.get(self._maybe_current or "")
        maybe_spoken = None
        if maybe_talk is not None and self._maybe_answered is not None:
            maybe_spoken = maybe_talk.spoken.get(self._maybe_answered)
        if maybe_spoken is None:
            line.append(f"  a new thread, as {shown(self.room.name, most=40)}", GREY)
        else:
            sender = maybe_spoken.id.sender
            line.append("  in answer to ", GREY)
            line.append(name_shown(sender), f"bold {colour_of(sender)}")
            line.append(f"  {shown(maybe_spoken.text)}")
        self.query_one("#answered", Static).update(line)

    def _show_groups(self) -> None:
        groups = self.query_one(Groups)
        groups.show(self.room.talks.values(), maybe_current=self._maybe_current)

    def _show_status(self, talk: Talk) -> None:
        line = Text(f" {talk.line}", GREY, no_wrap=True, overflow="ellipsis")
        self.query_one("#status", Static).update(line)
        self.query_one(Threads).border_subtitle = Text(self._where).markup

    def _on_spoken(self, talk: Talk, spoken: Spoken) -> None:
        if talk.group == self._maybe_current:
            self.query_one(Threads).add_spoken(talk, spoken)
            self._show_status(talk)
        else:
            talk.unread += 1
            self._show_groups()

    def _on_change(self, talk: Talk) -> None:
        if not self.is_running:
            return
        if talk.group == self._maybe_current:
            self.query_one(Threads).show_held(talk)
            self._show_status(talk)
        self._show_groups()
