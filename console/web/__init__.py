"""The web page: a server that follows the topics, and the three files that a browser shows.

topics ─> Follower ─> Model ─┬─> events (SSE) ─> page.js
raw ──> RawReader ───────────┤
tables ─> History ───────────┼─> answers to questions (JSON)
Checker (verify) ────────────┘        Writing <─ what a person writes, through a member
"""
