"""How the chat looks, in Textual's own style language."""

STYLE = """
Screen { layout: vertical; background: $background; }

#upper { height: 1fr; }

#groups {
    width: 28; height: 100%; padding: 0 1;
    border: round $primary-darken-2; border-title-color: $text-muted;
    border-subtitle-color: $accent; background: $background;
}
#groups:focus { border: round $accent; }

#middle { width: 1fr; }

#threads {
    height: 1fr; padding: 0 1; background: $background;
    border: round $primary-darken-2; border-title-color: $text; border-title-style: bold;
    border-subtitle-color: $text-muted;
    scrollbar-size-vertical: 1;
}
#threads:focus { border: round $accent; }

#status { height: 1; padding: 0 1; }

#answered { height: auto; max-height: 4; padding: 0 1; }

/* Above, where they hide neither what is written nor the newest messages. */
ToastRack { dock: top; align: right top; }

#words { border: round $primary-darken-2; background: $background; }
#words:focus { border: round $accent; }
"""
