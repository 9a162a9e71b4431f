"""A conversation of a hundred thousand messages, made and scrolled inside the page."""

from __future__ import annotations

A_HUNDRED_THOUSAND = """() => {
  const names = ["ann", "ben", "cat", "dan"];
  const id = (at) => names[at % 4] + "#1:" + at;
  for (let at = 1; at <= 100000; at += 1) talk.put({ ordinal: at, position: at, id: id(at),
    parents: at % 50 === 1 ? [] : [id(at - 1)], text: "message " + at, marks: [],
    sent_at: 0, captured_at: at, delivered_at: at });
  showConversation(); tree.refresh(true);
}"""

ROWS_FILLED_BY_THREE_LINES = """async () => {
  const frames = async () => {
    for (let at = 0; at < 3; at += 1) await new Promise(requestAnimationFrame);
  };
  tree.box.scrollTop = 60000; await frames();
  let count = 0; const fill = tree.fill;
  tree.fill = function (...given) { count += 1; fill.apply(this, given); };
  tree.box.scrollTop += 3 * tree.rowHeight; await frames();
  delete tree.fill;
  return count;
}"""
"""How many rows are filled anew when the tree is scrolled by three lines."""
