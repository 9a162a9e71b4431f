"use strict";
/* The page of Precede. Nothing from another host, no build step.
 *
 *   Talk       what is known of one group: delivered messages, held ones, what is missing
 *   TreeView   draws a talk as a tree; only the lines that can be seen are in the document
 *   Streams    server-sent events, resumed by ordinal
 *   one function for each view, called when there is news and the view is shown
 *
 * Whatever came over the network is set as text, never as markup.
 */

const $ = (id) => document.getElementById(id);
const MICROSECONDS = 1000;
const NARROW = matchMedia("(max-width: 760px)"); // as in page.css
const NEW_FOR_MS = 2500;
const HUES = 12;     // colours of names, .hue-0 and on in page.css
const OVERSCAN = 8;  // lines drawn above and below those in sight, so that none comes late
const MOST_SHOWN = 300; // characters of a text in a line: more than any screen is wide
const AWAY_TOLD_AFTER_MS = 2000; // a short break is not worth a word
const BATCH = 500; // messages in one event of the server; fewer mean that there are no more

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}
function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
const senderOf = (id) => id.slice(0, id.lastIndexOf(":"));
const nameOf = (id) => { const sender = senderOf(id); const mark = sender.lastIndexOf("#"); return mark > 0 ? sender.slice(0, mark) : sender; };
/* A name has the same colour in every view and after every start, but for a neighbour of the few that share one:
 * it takes the next that nobody has. */
const hues = new Map();
function hueOf(name) {
  if (!hues.has(name)) {
    let hash = 2166136261;
    for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 16777619);
    let hue = ((hash ^ (hash >>> 15)) >>> 0) % HUES;
    if (hues.size < HUES) while ([...hues.values()].includes("hue-" + hue)) hue = (hue + 5) % HUES;
    hues.set(name, "hue-" + hue);
  }
  return hues.get(name);
}
/* Does it read from right to left? The first letter that has a direction decides. */
const isRightToLeft = (text) => /^[^A-Za-z\u00c0-\u058f\u0900-\ufb1c]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text);
const shortened = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
const counted = (count, one, many) => number(count) + " " + (count === 1 ? one : many);
function clock(at) {
  if (!at) return "–";
  const date = new Date(at / MICROSECONDS);
  const two = (value) => String(value).padStart(2, "0");
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-") + " "
    + [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":") + "." + String(date.getMilliseconds()).padStart(3, "0");
}
function lasting(us) {
  const s = us / 1e6;
  if (s < 0.001) return "0 s";
  if (s < 1) return Math.round(s * 1000) + " ms";
  if (s < 100) return s.toFixed(1) + " s";
  if (s < 6000) return Math.round(s / 60) + " min";
  return (s / 3600).toFixed(1) + " h";
}
/* How long ago: in steps that do not flicker. */
function ago(at) {
  const s = (Date.now() * MICROSECONDS - at) / 1e6;
  return s < 2 ? "just now" : s < 100 ? Math.floor(s) + " s ago" : lasting(s * 1e6) + " ago";
}
const perSecond = (rate) => (rate >= 100 ? number(Math.round(rate)) : rate ? rate.toFixed(1) : "0") + "/s";
const number = (value) => (value === null || value === undefined ? "–" : Number(value).toLocaleString("en"));

/* ---------------------------------------------------------------- what is known of a group */

class Talk {
  constructor() { this.clear(); }

  clear() {
    this.nodes = new Map();   // delivered, by id
    this.byPosition = [];     // delivered, in order
    this.roots = [];          // delivered nodes without a parent, and stand-ins for parents that are not here
    this.standIns = new Map();
    this.held = new Map();
    this.lastOrdinal = 0;
    this.received = 0; this.duplicates = 0; this.skipped = 0;
    this.changed = 0;
    this.isAnswered = false;  // has the server said what there is?
    this.isFirst = true;      // what was there before the page came is no news
  }

  deliver(message) {
    if (message.ordinal <= this.lastOrdinal || this.nodes.has(message.id)) { this.duplicates += 1; return; }
    const last = this.byPosition.at(-1);
    if (last && message.position > last.message.position + 1) this.skipped += message.position - last.message.position - 1;
    this.put(message);
    this.lastOrdinal = message.ordinal;
    this.received += 1;
    this.held.delete(message.id);
  }

  put(message) {
    const node = { id: message.id, kind: "delivered", message, kids: [], at: this.isFirst ? -NEW_FOR_MS : performance.now() };
    const standIn = this.standIns.get(message.id);
    if (standIn) {
      node.kids = standIn.kids;
      this.standIns.delete(message.id);
      this.roots.splice(this.roots.indexOf(standIn), 1);
    }
    this.nodes.set(message.id, node);
    this.byPosition.push(node);
    hueOf(nameOf(message.id)); // in the order of delivery, which is the same for everybody
    const parent = message.parents[0];
    if (parent === undefined) this.roots.push(node);
    else this.place(parent, message).kids.push(node);
    this.changed += 1;
  }

  place(parent, child) {
    const known = this.nodes.get(parent) || this.standIns.get(parent);
    if (known) return known;
    const gone = child.marks.includes("parent_missing");
    const standIn = { id: parent, kind: gone ? "gone" : "older", kids: [] };
    this.standIns.set(parent, standIn);
    this.roots.push(standIn);
    return standIn;
  }

  update(data) {
    if (!this.isAnswered) { this.isAnswered = true; this.changed += 1; }
    for (const message of data.messages) this.deliver(message);
    this.isFirst = this.isFirst && data.messages.length >= BATCH;
    if (data.all_held) { this.held.clear(); for (const one of data.all_held) this.hold(one); }
    for (const change of data.changes) {
      if (change.held) this.hold(change.held);
      else { this.held.delete(change.id); this.changed += 1; }
    }
  }

  hold(one) {
    if (!this.nodes.has(one.id)) this.held.set(one.id, one);
    this.changed += 1;
  }

  /* All nodes from top to bottom; each is told its line, its depth, and its place among its siblings.
   * Iterative: a thread may be of any depth. */
  lines(folded, isFlat) {
    const below = new Map();
    const missing = [];
    for (const one of this.held.values()) {
      const node = { id: one.id, kind: "held", held: one, kids: [] };
      const parent = one.parents[0] ?? one.waiting_for;
      const place = this.nodes.has(parent) || this.held.has(parent) || this.standIns.has(parent) ? parent : null;
      if (place !== null && place !== one.id) { if (below.has(place)) below.get(place).push(node); else below.set(place, [node]); }
      else missing.push(node);
    }
    const lines = [];
    const set = (node, depth, rank, siblings, isParent) => {
      node.line = lines.length; node.depth = depth; node.rank = rank; node.siblings = siblings; node.isParent = isParent;
      lines.push(node);
    };
    if (isFlat) {
      const all = [...this.byPosition, ...[...below.values()].flat(), ...missing];
      all.forEach((node, at) => set(node, 0, at + 1, all.length, false));
      return lines;
    }
    const tops = [...this.roots, ...this.missingRoots(missing, below)];
    // One entry for each list of siblings that is under way: the list and how far it is.
    const lists = [tops], places = [0];
    while (lists.length) {
      const depth = lists.length - 1;
      const list = lists[depth], at = places[depth];
      if (at === list.length) { lists.pop(); places.pop(); continue; }
      places[depth] += 1;
      const node = list[at];
      const waiting = below.get(node.id);
      set(node, depth, at + 1, list.length, node.kids.length > 0 || waiting !== undefined);
      if (!node.isParent || folded.has(node.id)) continue;
      if (waiting) below.delete(node.id);
      lists.push(waiting ? node.kids.concat(waiting) : node.kids);
      places.push(0);
    }
    return lines;
  }

  /* Held messages whose parent nobody has: below a line that names what is missing. */
  missingRoots(nodes, below) {
    const roots = new Map();
    for (const node of nodes) {
      const parent = node.held.parents[0] ?? node.held.waiting_for;
      if (!roots.has(parent)) roots.set(parent, { id: parent, kind: "missing", kids: [], waiting: 0 });
      roots.get(parent).kids.push(node);
    }
    for (const root of roots.values()) {
      const stack = [...root.kids];
      while (stack.length) { const one = stack.pop(); root.waiting += 1; stack.push(...(below.get(one.id) || [])); }
    }
    return [...roots.values()];
  }

  answersTo(id) { const node = this.nodes.get(id); return node ? node.kids.length : 0; }
}

/* ---------------------------------------------------------------- the tree, drawn */

/* Only the lines in sight are in the document. Line n lives in row n % rows, so that a scroll by one line fills
 * one row anew; a row is moved by a transform, and nothing that lays out is read while scrolling. */
class TreeView {
  constructor(box, { onChoose, emptyWords }) {
    Object.assign(this, { box, onChoose, emptyWords });
    this.talk = new Talk(); this.folded = new Set(); this.isFlat = false;
    this.lines = []; this.chosen = null; this.drawnChange = -1; this.rows = []; this.stamp = 0; this.height = 0; this.top = 0;
    this.space = make("div", "tree-space"); this.space.setAttribute("role", "presentation");
    this.empty = make("p", "empty"); this.empty.setAttribute("role", "presentation"); this.empty.hidden = true;
    box.append(this.empty, this.space);
    box.addEventListener("scroll", () => this.later(), { passive: true });
    box.addEventListener("click", (event) => this.clicked(event));
    box.addEventListener("keydown", (event) => this.pressed(event));
    new ResizeObserver((entries) => { this.height = entries[0].contentRect.height; this.later(); }).observe(box);
    this.fit();
    NARROW.addEventListener("change", () => { this.fit(); this.refresh(true); });
  }

  fit() {
    this.rowHeight = NARROW.matches ? 40 : 30; // --row in page.css
    this.mostIndent = NARROW.matches ? 8 : 16;
  }

  later() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; this.paint(); });
  }

  /* Lay the lines out anew: at once for a few, some times a second for very many. */
  refresh(force) {
    if (force) this.drawnChange = -1;
    if (this.talk.changed === this.drawnChange) { this.later(); return; }
    const now = performance.now();
    const pause = this.lines.length > 20000 ? 400 : 60;
    if (!force && now - (this.laidAt || 0) < pause) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), pause);
      return;
    }
    this.laidAt = now;
    this.drawnChange = this.talk.changed;
    this.lines = this.talk.lines(this.folded, this.isFlat);
    this.places = null;
    this.stamp += 1;
    this.space.style.height = this.lines.length * this.rowHeight + "px";
    this.box.setAttribute("aria-description", this.lines.length + " lines");
    this.empty.hidden = this.lines.length > 0;
    if (!this.lines.length) this.empty.textContent = this.emptyWords();
    if (this.follows && this.talk.byPosition.length) this.show(this.talk.byPosition.at(-1).id);
    this.later();
  }

  placeOf(id) {
    const node = this.talk.nodes.get(id);
    if (node) return this.lines[node.line] === node ? node.line : -1; // a folded thread hides it
    if (!this.places) this.places = new Map(this.lines.filter((one) => one.kind !== "delivered").map((one) => [one.id, one.line]));
    return this.places.get(id) ?? -1;
  }

  show(id) {
    const place = this.placeOf(id);
    if (place < 0) return;
    const top = place * this.rowHeight;
    const { scrollTop } = this.box;
    // On a phone the chosen message comes up over the lower part of the tree.
    const height = NARROW.matches && id === this.chosen ? this.height * 0.35 : this.height;
    if (top < scrollTop + this.rowHeight) this.box.scrollTop = Math.max(0, top - height / 3);
    else if (top + 2 * this.rowHeight > scrollTop + height) this.box.scrollTop = Math.max(0, top - height + 3 * this.rowHeight);
  }

  paint() {
    const top = Math.floor(this.box.scrollTop / this.rowHeight);
    const first = Math.max(0, top - OVERSCAN);
    const count = Math.ceil(this.height / this.rowHeight) + 2 * OVERSCAN;
    if (this.rows.length < count) {
      while (this.rows.length < count) { const row = this.blank(); this.rows.push(row); this.space.append(row.row); }
      this.stamp += 1; // every line has another row now
    }
    // After a leap what is in sight comes first, the lines around it with the next frame.
    const isLeap = Math.abs(top - this.top) > count;
    this.top = top;
    if (isLeap) this.later();
    for (let at = first; at < first + this.rows.length; at += 1) {
      const row = this.rows[at % this.rows.length];
      if (isLeap && (at < top || at > top + count - 2 * OVERSCAN)) continue;
      if (row.at === at && row.stamp === this.stamp) continue;
      row.at = at; row.stamp = this.stamp;
      const isShown = at < this.lines.length;
      if (row.isShown !== isShown) { row.isShown = isShown; row.row.hidden = !isShown; }
      if (isShown) this.fill(row, this.lines[at]);
    }
    const place = this.chosen === null ? -1 : this.placeOf(this.chosen);
    const isDrawn = place >= first && place < first + this.rows.length;
    const active = isDrawn ? this.rows[place % this.rows.length].row.id : "";
    if (active === this.active) return;
    this.active = active;
    if (active) this.box.setAttribute("aria-activedescendant", active); else this.box.removeAttribute("aria-activedescendant");
  }

  blank() {
    const row = make("div", "line");
    row.setAttribute("role", "treeitem");
    row.id = this.box.id + "-row-" + this.rows.length;
    const parts = { row, position: make("span", "position"), fold: make("span", "fold"), name: make("bdi", "name"), badge: make("bdi", "badge"), text: make("bdi", "text") };
    parts.position.setAttribute("aria-hidden", "true"); parts.fold.setAttribute("aria-hidden", "true");
    row.append(parts.position, parts.fold, parts.name, " ", parts.badge, " ", parts.text); // read aloud as words of their own
    for (const part of ["position", "fold", "name", "badge", "text"]) parts[part].append("");
    return parts;
  }

  fill(line, node) {
    const { row } = line;
    const shownDepth = Math.min(node.depth, this.mostIndent);
    const isChosen = node.id === this.chosen;
    const isNew = this.isLive && node.kind === "delivered" && performance.now() - node.at < NEW_FOR_MS;
    const isFolded = node.isParent && this.folded.has(node.id);
    const words = this.words(node);
    const text = words.text.slice(0, MOST_SHOWN);
    const badge = [node.depth > shownDepth ? node.depth + " deep" : "", words.badge].filter(Boolean).join(" · ");
    row.style.transform = "translateY(" + node.line * this.rowHeight + "px)";
    row.dataset.id = node.id;
    row.setAttribute("aria-posinset", node.rank);
    // What most neighbours share is written only where it changes: a browser does not compare.
    const put = (name, value, write) => { if (line[name + "Was"] !== value) { line[name + "Was"] = value; write(value); } };
    put("depth", shownDepth, (value) => row.style.setProperty("--depth", value));
    put("level", node.depth + 1, (value) => row.setAttribute("aria-level", value));
    put("siblings", node.siblings, (value) => row.setAttribute("aria-setsize", value));
    put("selected", isChosen, (value) => row.setAttribute("aria-selected", value));
    put("expanded", node.isParent ? !isFolded : null, (value) => { if (value === null) row.removeAttribute("aria-expanded"); else row.setAttribute("aria-expanded", value); });
    put("kind", "line " + node.kind + (isChosen ? " chosen" : "") + (isNew ? " new" : "") + (isRightToLeft(text) ? " right-to-left" : ""), (value) => { row.className = value; });
    put("hue", "name " + hueOf(nameOf(node.id)), (value) => { line.name.className = value; });
    put("tone", "badge " + words.tone, (value) => { line.badge.className = value; });
    put("badged", badge !== "", (value) => { line.badge.hidden = !value; });
    put("folds", node.isParent ? (isFolded ? "▸" : "▾") : "", (value) => { line.fold.firstChild.nodeValue = value; });
    put("badgeText", shortened(badge, NARROW.matches ? 22 : 56), (value) => { line.badge.firstChild.nodeValue = value; });
    put("names", shortened(words.name, NARROW.matches ? 14 : 28), (value) => { line.name.firstChild.nodeValue = value; });
    line.position.firstChild.nodeValue = node.kind === "delivered" ? node.message.position : "";
    put("says", text, (value) => { line.text.firstChild.nodeValue = value; });
  }

  /* What a line says: a name, a badge with its tone, a text. */
  words(node) {
    const name = nameOf(node.id);
    if (node.kind === "delivered") {
      const { message } = node;
      const marks = message.marks.join(", ").replace(/_/g, " ");
      return { name, text: message.text.replace(/\s+/g, " "), badge: marks || message.group || "", tone: marks ? "bad" : "" };
    }
    if (node.kind === "held") return { name, text: node.held.text || "", badge: "waits for " + node.held.waiting_for, tone: "wait" };
    if (node.kind === "missing") return { name: node.id, text: counted(node.waiting, "message waits for it", "messages wait for it"), badge: "missing", tone: "bad" };
    if (node.kind === "gone") return { name: node.id, text: "", badge: "never came, given up", tone: "bad" };
    return { name: node.id, text: "", badge: "older, in the history", tone: "" };
  }

  choose(id, isByHand) {
    this.chosen = id;
    this.stamp += 1;
    const place = this.placeOf(id);
    this.onChoose(place < 0 ? null : this.lines[place], isByHand);
    if (isByHand && id !== null) this.show(id);
    this.later();
  }

  fold(id, isFolded) {
    if (isFolded) this.folded.add(id); else this.folded.delete(id);
    this.refresh(true);
  }

  clicked(event) {
    const row = event.target.closest(".line");
    if (!row) return;
    if (event.target.classList.contains("fold") && event.target.textContent) this.fold(row.dataset.id, !this.folded.has(row.dataset.id));
    else this.choose(row.dataset.id, true);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.lines.length) return;
    const at = this.placeOf(this.chosen);
    const page = Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page };
    const go = (place) => this.choose(this.lines[Math.min(this.lines.length - 1, Math.max(0, place))].id, true);
    if (event.key in steps) go(at < 0 ? Math.floor(this.box.scrollTop / this.rowHeight) : at + steps[event.key]);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(this.lines.length - 1);
    else if (event.key === "Enter" && at >= 0) { this.choose(this.chosen, true); return; }
    else if (event.key === "Escape" && at >= 0) this.choose(null, true);
    else if (event.key === "ArrowLeft" && at >= 0) this.left(at, go);
    else if (event.key === "ArrowRight" && at >= 0) this.right(at, go);
    else return;
    event.preventDefault();
  }

  left(at, go) {
    const node = this.lines[at];
    if (node.isParent && !this.folded.has(node.id)) { this.fold(node.id, true); return; }
    for (let above = at - 1; above >= 0; above -= 1) if (this.lines[above].depth < node.depth) { go(above); return; }
  }

  right(at, go) {
    const node = this.lines[at];
    if (node.isParent && this.folded.has(node.id)) this.fold(node.id, false);
    else if (node.isParent) go(at + 1);
  }
}

/* ---------------------------------------------------------------- streams */

const state = { view: "groups", group: "", token: "", overview: null, awaySince: 0, sent: "", sort: { by: "group", isDown: false } };

class Stream {
  constructor(address, name, onData, onState) {
    Object.assign(this, { address, name, onData, onState });
    this.last = "";
    this.open();
  }

  open() {
    const separator = this.address.includes("?") ? "&" : "?";
    this.source = new EventSource(this.address + (this.last ? separator + "last=" + this.last : ""));
    this.source.onopen = () => this.onState("live");
    this.source.onerror = () => {
      this.onState("away");
      // A browser gives up when the answer is an error; a server that starts may give one.
      if (this.source.readyState === EventSource.CLOSED && !this.isClosed) this.timer = setTimeout(() => this.open(), 1500);
    };
    this.source.addEventListener(this.name, (event) => {
      if (event.lastEventId) this.last = event.lastEventId;
      this.onData(JSON.parse(event.data));
    });
    // The topics were made anew: what was seen is of another log.
    this.source.addEventListener("reset", () => { this.last = ""; talk.clear(); tree.folded.clear(); });
  }

  close() { this.isClosed = true; clearTimeout(this.timer); this.source.close(); }
}

const links = new Map();
function linkState(name, word) {
  links.set(name, word);
  const isAway = [...links.values()].includes("away");
  const pill = $("link-state");
  const { problem = "", is_caught_up: isCaughtUp = true } = state.overview || {};
  const text = isAway ? "reconnecting" : problem ? "standing still" : isCaughtUp ? "live" : "catching up";
  if (pill.textContent !== text) pill.textContent = text;
  pill.className = "pill " + (text === "live" ? "good" : "warn");
  if (!isAway) state.awaySince = 0;
  else if (!state.awaySince) { state.awaySince = Date.now(); setTimeout(showProblem, AWAY_TOLD_AFTER_MS); }
  showProblem();
}
/* One line above everything when what is shown is not the newest. */
function showProblem() {
  const isTold = state.awaySince && Date.now() - state.awaySince >= AWAY_TOLD_AFTER_MS;
  const text = isTold ? "The server does not answer. What you see is as of " + clock(state.awaySince * MICROSECONDS).slice(11, 19) + "; it goes on by itself when the server is back."
    : state.overview ? state.overview.problem.replace(/^./, (first) => first.toUpperCase()) : "";
  if ($("problem").textContent !== text) $("problem").textContent = text;
  $("problem").hidden = !text;
}

let overviewStream = null;
let talkStream = null;
function openOverview() {
  overviewStream = new Stream("events/overview", "overview", (data) => { state.overview = data; linkState("overview", "live"); showOverview(); },
    (word) => linkState("overview", word));
}
function openTalk(group) {
  if (talkStream && talkStream.group === group) return;
  if (talkStream) talkStream.close();
  talk.clear(); tree.folded.clear(); tree.chosen = null; showDetail($("detail"), null);
  talkStream = null; links.delete("talk");
  tree.refresh(true);
  if (!group) return;
  talkStream = new Stream("events/conversation?group=" + encodeURIComponent(group), "update", takeUpdate, (word) => linkState("talk", word));
  talkStream.group = group;
}
function takeUpdate(data) {
  talk.update(data);
  if (state.view === "conversation") showConversation();
  if (state.view === "space-time") laterSpaceTime();
  const own = talk.nodes.get(state.sent);
  if (own) { // what was written here has come back as everybody gets it
    state.sent = "";
    tree.refresh(true); tree.show(own.id);
    announce("Your answer was delivered at position " + own.message.position + ".");
  }
}
/* A page that nobody sees closes its streams; browsers allow only a few for one server. */
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    overviewStream.close();
    if (talkStream) talkStream.close();
  } else {
    openOverview();
    if (talkStream) {
      const { group, last } = talkStream;
      talkStream = new Stream("events/conversation?group=" + encodeURIComponent(group) + (last ? "&last=" + last : ""), "update", takeUpdate, (word) => linkState("talk", word));
      talkStream.group = group; talkStream.last = last;
    }
  }
});

/* ---------------------------------------------------------------- asking and writing */

async function request(address, options) {
  let answer;
  try { answer = await fetch(address, options); } catch { throw new Error("The server does not answer; try again when it is back."); }
  const body = await answer.json();
  if (!body.ok) throw new Error(body.problem);
  return body;
}
const ask = (address, parameters) => request(address + "?" + new URLSearchParams(parameters));
const write = (address, body) => request(address, { method: "POST", body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", Authorization: "Bearer " + state.token } });
const announce = (text) => { $("announcer").textContent = text; };

/* ---------------------------------------------------------------- groups */

function showOverview() {
  const { overview } = state;
  showProblem();
  fillGroupChoices();
  if (state.view === "groups") showGroups();
  if (state.view === "health") showHealth();
  if (state.view === "conversation") showConversation();
  if ((state.view === "conversation" || state.view === "space-time") && !state.group && overview.groups.length) chooseGroup(busiest());
}
function busiest() { return overviewGroups().reduce((best, one) => (one.delivered > best.delivered ? one : best)).group; }
function overviewGroups() { return state.overview ? state.overview.groups : []; }
function fillGroupChoices() {
  const names = overviewGroups().map((one) => one.group).sort();
  if (state.group && !names.includes(state.group)) names.unshift(state.group);
  const key = names.join("\n") + "\n\n" + state.group;
  if (key === fillGroupChoices.key) return;
  fillGroupChoices.key = key;
  for (const select of document.querySelectorAll(".group-choice")) {
    select.replaceChildren(...names.map((name) => { const option = make("option", "", name); option.value = name; return option; }));
    select.value = state.group;
    select.hidden = !names.length;
  }
}
function chooseGroup(group) { location.hash = "#/" + state.view + "/" + encodeURIComponent(group); }

function showGroups() {
  const { by, isDown } = state.sort;
  const value = (one) => (by === "oldest_held_at" ? -(one[by] || Infinity) : one[by]);
  const wanted = $("groups-filter").value.trim().toLowerCase();
  const rows = overviewGroups().filter((one) => one.group.toLowerCase().includes(wanted)).sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    const order = first < second ? -1 : first > second ? 1 : one.group < other.group ? -1 : 1;
    return isDown ? -order : order;
  });
  const body = $("groups-body");
  const known = new Map([...body.children].map((row) => [row.dataset.group, row]));
  rows.forEach((one, index) => {
    const row = known.get(one.group) || groupRow(one.group);
    known.delete(one.group);
    if (body.children[index] !== row) body.insertBefore(row, body.children[index] || null);
    fillGroupRow(row, one);
  });
  for (const row of known.values()) row.remove();
  const { totals, group_count: count } = state.overview;
  $("groups-empty").hidden = rows.length > 0;
  $("groups-table").hidden = rows.length === 0;
  $("groups-empty").textContent = count ? "No group has “" + $("groups-filter").value + "” in its name."
    : "No message has been delivered yet. As soon as the job orders something, its group appears here.";
  const listed = overviewGroups().length < count ? " (the " + number(overviewGroups().length) + " that moved last are listed)" : "";
  $("groups-summary").textContent = counted(count, "group", "groups") + listed + " · " + number(totals.delivered) + " delivered · " + number(totals.held) + " held";
  for (const button of document.querySelectorAll("[data-sort]")) {
    const head = button.closest("th");
    if (button.dataset.sort === by) head.setAttribute("aria-sort", isDown ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
  }
}
function groupRow(group) {
  const row = make("tr");
  row.dataset.group = group;
  const link = make("a", "", group);
  link.href = "#/conversation/" + encodeURIComponent(group);
  link.title = group;
  const head = make("th"); head.scope = "row"; head.append(link);
  const chart = draw("svg", { class: "chart", viewBox: "0 0 180 28", preserveAspectRatio: "none", role: "img" });
  chart.append(draw("path", { class: "base", d: "M0 27.5h180" }));
  for (let at = 0; at < 60; at += 1) chart.append(draw("rect", { x: at * 3, width: 2, y: 28, height: 0 }));
  const chartCell = make("td"); chartCell.append(chart);
  row.append(head, make("td"), make("td", "number"), chartCell, make("td", "number"), make("td", "number"), make("td", "number"), make("td", "number"));
  return row;
}
function fillGroupRow(row, one) {
  const [, discipline, rate, chart, delivered, held, oldest, gaps] = row.children;
  discipline.textContent = one.discipline + (one.give_up === "hold" ? "" : ", " + one.give_up);
  discipline.title = one.policy_change ? "Changed by precede policy: " + one.policy_change : "";
  if (one.policy_change) discipline.append(make("span", "extra quiet", " · changed"));
  rate.textContent = perSecond(one.rate);
  rate.classList.toggle("quiet", !one.rate);
  delivered.textContent = number(one.delivered);
  held.textContent = number(one.held);
  held.classList.toggle("alarm", one.held > 0);
  oldest.textContent = one.oldest_held_at ? ago(one.oldest_held_at).replace(" ago", "") : "–";
  gaps.textContent = number(one.gaps);
  if (one.abandoned) gaps.append(make("span", "extra quiet", " · " + number(one.abandoned) + " given up"));
  gaps.classList.toggle("alarm", one.gaps > 0);
  const most = Math.max(4, ...one.chart);
  const svg = chart.firstChild;
  svg.setAttribute("aria-label", one.chart.reduce((sum, bar) => sum + bar, 0) + " delivered in the last minute");
  one.chart.forEach((bar, at) => {
    const height = bar ? Math.max(2, (bar / most) * 26) : 0;
    const { dataset } = svg.children[at + 1];
    if (dataset.height === String(height)) return;
    dataset.height = height;
    svg.children[at + 1].setAttribute("y", 28 - height);
    svg.children[at + 1].setAttribute("height", height);
  });
}

/* ---------------------------------------------------------------- conversation */

const talk = new Talk();
const tree = new TreeView($("tree"), {
  onChoose: (node, isByHand) => { if (isByHand && node) setFollow(false); showDetail($("detail"), node); },
  emptyWords: () => (!state.overview || (state.group && !talk.isAnswered) ? "Loading …"
    : state.group ? "Nothing has been delivered in this group yet. It appears here by itself." : "No message has been delivered yet. As soon as the job orders something, it appears here."),
});
tree.talk = talk; tree.isLive = true; tree.follows = true;

function setFollow(follows) {
  tree.follows = follows;
  $("follow").checked = follows;
  if (follows) tree.refresh(true);
}
function showConversation() {
  const box = $("tree");
  box.dataset.received = talk.received; box.dataset.duplicates = talk.duplicates; box.dataset.skipped = talk.skipped; box.dataset.held = talk.held.size;
  const first = talk.byPosition.length ? talk.byPosition[0].message.position : 0;
  const words = [number(talk.received) + " delivered"];
  if (talk.held.size) words.push(number(talk.held.size) + " held");
  const mine = overviewGroups().find((one) => one.group === state.group);
  if (mine) words.push(mine.discipline, perSecond(mine.rate));
  $("conversation-summary").textContent = state.group ? words.join(" · ") : "waiting for the first message";
  const notices = [];
  if (first > 1) notices.push(first === 2 ? "Position 1 is older and stands in the history." : "Positions 1 to " + number(first - 1) + " are older and stand in the history.");
  if (talk.skipped) notices.push(number(talk.skipped) + " messages in between are not here; look into the history.");
  $("conversation-notice").hidden = !notices.length;
  $("conversation-notice").textContent = notices.join(" ");
  tree.refresh();
  // What is shown of the chosen message is shown anew when it changes, but not under somebody's hands.
  if (tree.chosen && newsOf(tree.chosen) !== $("detail").dataset.news && !$("detail").contains(document.activeElement)) {
    tree.refresh(true);
    tree.choose(tree.chosen, false);
  }
}
function newsOf(id) {
  const node = talk.nodes.get(id);
  if (node) return "delivered, answered by " + node.kids.length;
  const held = talk.held.get(id);
  return held ? "held for " + held.waiting_for + (held.text === null ? "" : ", read") : "";
}

function fact(list, name, value) {
  list.append(make("dt", "", name));
  const entry = make("dd");
  entry.append(value);
  list.append(entry);
}
function jump(id) {
  const button = make("button", "link mono", id);
  button.type = "button";
  button.addEventListener("click", () => { if (state.view === "history") historyTree.choose(id, true); else tree.choose(id, true); });
  return button;
}

function showDetail(panel, node) {
  panel.replaceChildren();
  panel.dataset.news = node ? newsOf(node.id) : "";
  const own = panel.id === "detail" ? tree : historyTree;
  panel.classList.toggle("nothing", !node);
  if (!node) { panel.append(make("p", "quiet", "Choose a message to see what it answers, when it came, and, if it is held, why.")); return; }
  const title = make("h2");
  const who = make("bdi", "who " + hueOf(nameOf(node.id)), nameOf(node.id));
  const close = make("button", "icon close", "✕"); close.type = "button"; close.title = "Close (Esc)"; close.setAttribute("aria-label", "Close");
  close.addEventListener("click", () => { own.choose(null, true); own.box.focus(); });
  const words = { delivered: "delivered", held: "held", missing: "missing", gone: "given up", older: "older" };
  title.append(who, make("span", "pill plain " + ({ delivered: "good", held: "warn", missing: "bad", gone: "bad" }[node.kind] || ""), words[node.kind]), make("span", "grow"), close);
  panel.append(title, make("div", "mono quiet", node.id));
  if (node.kind === "delivered") detailOfDelivered(panel, node);
  else if (node.kind === "held") detailOfHeld(panel, node);
  else if (node.kind === "missing") panel.append(make("p", "", "Nobody has captured this message. " + counted(node.waiting, "message waits", "messages wait") + " for it, directly or behind others. It frees them all when it comes; if it never will, the group’s give-up rule decides."));
  else if (node.kind === "gone") panel.append(make("p", "", "It never came. By the group's give-up rule, what waited for it was released without it."));
  else panel.append(make("p", "", "This page keeps only the newest messages; this one stands in the history."));
  if (node.kind === "delivered" && panel.id === "detail") panel.append(answerForm(node));
}
function detailOfDelivered(panel, node) {
  const { message } = node;
  const said = make("p", "said", message.text + (message.is_cut ? " …" : "")); said.dir = "auto";
  panel.append(said);
  if (!message.text.trim()) said.replaceWith(make("p", "quiet", "(no text)"));
  const facts = make("dl", "facts");
  fact(facts, "Position", number(message.position));
  message.parents.forEach((parent, at) => fact(facts, at ? "and" : "Answers", jump(parent)));
  fact(facts, "Answered by", number(node.kids.length));
  if (message.marks.length) fact(facts, "Marks", message.marks.join(", ").replace(/_/g, " "));
  fact(facts, "Sent", clock(message.sent_at));
  fact(facts, "Captured", clock(message.captured_at));
  fact(facts, "Delivered", clock(message.delivered_at));
  fact(facts, "Waited", message.delivered_at > message.captured_at ? lasting(message.delivered_at - message.captured_at) : "not at all");
  panel.append(facts);
  if (panel.id === "detail") {
    const link = make("a", "", "Its thread in the history");
    link.href = "#/history/" + encodeURIComponent(state.group) + "?thread=" + encodeURIComponent(message.id);
    const line = make("p", "", ""); line.append(link);
    panel.append(line);
  }
}
function detailOfHeld(panel, node) {
  const { held } = node;
  if (held.text) { const said = make("p", "said quiet", held.text); said.dir = "auto"; panel.append(said); }
  panel.append(make("h3", "", "Why is it held?"));
  const list = make("ol", "chain");
  panel.append(list);
  const facts = make("dl", "facts");
  held.parents.forEach((parent, at) => fact(facts, at ? "and" : "Answers", jump(parent)));
  fact(facts, "Captured", clock(held.since));
  panel.append(facts);
  if (panel.id !== "detail") { // held at that time: what it waited for then, not what is so now
    list.append(make("li", "end", "waited for " + held.waiting_for));
    return;
  }
  ask("api/why", { group: state.group, id: held.id }).then((why) => {
    if (!why.held) { list.append(make("li", "", "It is not held any more.")); return; }
    why.chain.forEach((link, at) => {
      const line = make("li");
      line.append(at ? jump(link.id) : make("strong", "mono", link.id), " " + link.sentence);
      list.append(line);
    });
    if (why.missing) list.append(make("li", "end", why.missing.waiting_for + " is missing: nobody has captured it. " + counted(why.missing.behind, "message waits", "messages wait") + " behind it."));
    announce("Held. " + why.chain.map((link) => link.sentence).join(", which ") + (why.missing ? ", which is missing." : "."));
  }).catch((problem) => list.append(make("li", "", problem.message)));
}
function answerForm(node) {
  const form = make("form", "answer");
  const mayWrite = state.overview && state.overview.member;
  if (!mayWrite || !state.token) {
    form.append(make("p", "quiet", mayWrite ? "To answer, open the page with the address that was printed: it carries the token." : "This page only reads. Set web.member_address to answer from here."));
    return form;
  }
  const label = make("label", "", "Answer as " + state.overview.member);
  const box = make("textarea"); box.id = "answer-text"; label.htmlFor = box.id; box.maxLength = 4000; box.required = true; box.dir = "auto"; box.placeholder = "Goes out over multicast, as a message of a member";
  const send = make("button", "main", "Send"); send.type = "submit";
  send.title = "Ctrl+Enter";
  const result = make("span", "quiet"); result.setAttribute("role", "status");
  const row = make("div", "row"); row.append(send, result);
  form.append(label, box, row);
  const submit = async (event) => {
    event.preventDefault();
    if (!box.value.trim() || send.disabled) return;
    send.disabled = true;
    result.textContent = "sending";
    try {
      const sent = await write("api/answer", { group: state.group, text: box.value, in_answer_to: node.id });
      box.value = "";
      result.textContent = "sent as " + sent.id;
      state.sent = sent.id;
      result.className = "quiet";
    } catch (problem) { result.textContent = problem.message; result.className = "wrong"; }
    send.disabled = false;
  };
  form.addEventListener("submit", submit);
  box.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event); });
  return form;
}

/* ---------------------------------------------------------------- space-time */

let spaceTimer = 0;
function laterSpaceTime() { if (!spaceTimer) spaceTimer = setTimeout(() => { spaceTimer = 0; showSpaceTime(); }, 250); }

function showSpaceTime() {
  const count = Number($("space-count").value);
  const key = [state.group, talk.changed, talk.isAnswered, count, $("space-axis").value, innerWidth, innerHeight].join(" ");
  if (key === showSpaceTime.key) return;
  showSpaceTime.key = key;
  const focused = document.activeElement.closest("#space-scroll a");
  const shown = talk.byPosition.slice(-count).map((node) => node.message);
  const box = $("space-scroll");
  const wasAtEnd = box.scrollLeft + box.clientWidth > box.scrollWidth - 40;
  box.replaceChildren();
  if (!shown.length) {
    $("space-summary").textContent = "";
    box.append(make("p", "empty", state.overview && talk.isAnswered ? "Nothing has been delivered in this group yet." : "Loading …"));
    return;
  }
  const held = [...talk.held.values()].slice(0, 40);
  const arrived = [...shown].sort((one, other) => arrivalOf(one) - arrivalOf(other));
  const rank = new Map(arrived.map((message, at) => [message.id, at]));
  const isWaited = new Map(shown.map((message) => [message.id, message.delivered_at > message.captured_at]));
  const waited = [...isWaited.values()].filter(Boolean).length;
  const heldWords = talk.held.size > held.length ? "the first " + held.length + " of " + number(talk.held.size) + " held" : held.length + " held";
  $("space-summary").textContent = counted(shown.length, "message", "messages") + " · " + waited + " came too early and waited" + (held.length ? " · " + heldWords : "");
  const members = [...new Set([...shown, ...held].map((one) => nameOf(one.id)))];
  const plan = spacePlan(shown, held, members);
  const svg = draw("svg", { width: plan.width, height: plan.height, role: "group", "aria-label": "Members as lines, messages as dots, an arrow from what each answers" });
  const names = draw("svg", { width: plan.left, height: plan.height, class: "lane-names", "aria-hidden": "true" });
  svg.append(draw("defs", {}));
  const head = draw("marker", { id: "head", viewBox: "0 0 6 6", refX: 10, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" });
  head.append(draw("path", { class: "arrow-head", d: "M0 0 6 3 0 6z" }));
  svg.firstChild.append(head);
  if (plan.isTime) drawTimes(svg, plan);
  drawLanes(svg, names, plan, members);
  drawMessages(svg, plan, shown, held, isWaited);
  drawCrossings(svg, names, plan, shown, rank, isWaited);
  const wide = make("div", "diagram");
  wide.append(names, svg);
  box.append(wide);
  if (wasAtEnd) box.scrollLeft = box.scrollWidth;
  const again = focused && [...svg.querySelectorAll("a")].find((one) => one.getAttribute("href") === focused.getAttribute("href"));
  if (again) again.focus({ preventScroll: true });
}
const arrivalOf = (message) => (message.coordinates ? message.coordinates[1] * 4096 + message.coordinates[2] : message.captured_at);

function spacePlan(shown, held, members) {
  const box = $("space-scroll");
  const isTime = $("space-axis").value === "time";
  const left = NARROW.matches ? 92 : 150, top = 30, foot = 160;
  // As large as there is room for, and never so small that dots touch.
  const count = shown.length + held.length;
  const step = Math.min(64, Math.max(24, (box.clientWidth - left - 44) / Math.max(1, count - 1)));
  const lane = Math.min(72, Math.max(26, (box.clientHeight - top - foot - 16) / Math.max(1, members.length)));
  const lanes = new Map(members.map((name, at) => [name, top + at * lane]));
  const times = shown.flatMap((message) => [message.captured_at, message.delivered_at]);
  const low = times.reduce((one, other) => Math.min(one, other)), high = times.reduce((one, other) => Math.max(one, other));
  const width = Math.max(box.clientWidth - left - 2, 24 + step * (count - 1) + 20);
  const across = (at) => ((at - low) / Math.max(1, high - low)) * (width - 60) + 20;
  const places = new Map(shown.map((message, at) => [message.id, isTime ? across(message.delivered_at) : 20 + at * step]));
  held.forEach((one, at) => places.set(one.id, isTime ? across(Math.min(high, Math.max(low, one.since))) : 20 + (shown.length + at) * step));
  const bottom = top + (members.length - 1) * lane + 40;
  return { left, step, lanes, places, isTime, across, low, high, width, bottom, height: bottom + foot - 30 };
}
function drawLanes(svg, names, plan, members) {
  for (const name of members) {
    const y = plan.lanes.get(name);
    svg.append(draw("line", { class: "lane", x1: 0, x2: plan.width, y1: y, y2: y }));
    const label = draw("text", { class: "lane-name " + hueOf(name), x: plan.left - 12, y: y + 4, "text-anchor": "end" }, shortened(name, plan.left < 100 ? 9 : 17));
    label.append(draw("title", {}, name));
    names.append(label);
  }
}
function drawMessages(svg, plan, shown, held, isWaited) {
  const y = (id) => plan.lanes.get(nameOf(id));
  for (const message of shown) {
    const x = plan.places.get(message.id);
    for (const parent of message.parents) {
      if (!plan.places.has(parent)) continue;
      const from = plan.places.get(parent);
      const bend = y(parent) === y(message.id) ? Math.min(20, 8 + Math.abs(x - from) / 8) : 0;
      svg.append(draw("path", { class: "arrow", d: `M${from} ${y(parent)}Q${(from + x) / 2} ${(y(parent) + y(message.id)) / 2 - bend} ${x} ${y(message.id)}`, "marker-end": "url(#head)" }));
    }
    if (plan.isTime && isWaited.get(message.id)) {
      svg.append(draw("line", { class: "waited", x1: plan.across(message.captured_at), x2: x, y1: y(message.id), y2: y(message.id) }));
      svg.append(draw("circle", { class: "dot-arrived", cx: plan.across(message.captured_at), cy: y(message.id), r: 4 }));
    }
  }
  for (const message of shown) svg.append(dot(plan.places.get(message.id), y(message.id), isWaited.get(message.id) ? "dot-waited" : "dot-delivered", message.id,
    message.position + ". " + nameOf(message.id) + ": " + message.text.slice(0, 120) + (isWaited.get(message.id) ? " (waited " + lasting(message.delivered_at - message.captured_at) + ")" : "")));
  for (const one of held) for (const parent of new Set([...one.parents, one.waiting_for])) if (plan.places.has(parent) && parent !== one.id) {
    svg.append(draw("path", { class: "arrow waiting", d: `M${plan.places.get(parent)} ${y(parent)}L${plan.places.get(one.id)} ${y(one.id)}`, "marker-end": "url(#head)" }));
  }
  for (const one of held) svg.append(dot(plan.places.get(one.id), y(one.id), "dot-held", one.id, one.id + " is held, waits for " + one.waiting_for));
}
function dot(x, y, kind, id, words) {
  const link = draw("a", { href: "#/conversation/" + encodeURIComponent(state.group) + "?message=" + encodeURIComponent(id), "aria-label": words });
  const circle = draw("circle", { class: kind, cx: x, cy: y, r: 6 });
  circle.append(draw("title", {}, words));
  link.append(circle);
  return link;
}
/* Across time: when the first and the last of them was, and marks between them. */
function drawTimes(svg, plan) {
  const y = plan.bottom - 14;
  const marks = Math.max(1, Math.floor(plan.width / 180));
  for (let at = 0; at <= marks; at += 1) {
    const time = plan.low + ((plan.high - plan.low) * at) / marks;
    const anchor = at === 0 ? "start" : at === marks ? "end" : "middle";
    svg.append(draw("line", { class: "lane", x1: plan.across(time), x2: plan.across(time), y1: 8, y2: y - 12 }));
    svg.append(draw("text", { x: plan.across(time), y, "text-anchor": anchor }, clock(time).slice(11)));
  }
}
/* Two rows below: as they arrived, as they were delivered; who was overtaken crosses the others. */
function drawCrossings(svg, names, plan, shown, rank, isWaited) {
  const top = plan.bottom + 30, low = top + 90;
  names.append(draw("text", { x: plan.left - 12, y: top + 4, "text-anchor": "end" }, "arrived"), draw("text", { x: plan.left - 12, y: low + 4, "text-anchor": "end" }, "delivered"));
  shown.forEach((message, at) => {
    const from = 20 + rank.get(message.id) * plan.step, to = 20 + at * plan.step;
    svg.append(draw("path", { class: "cross" + (isWaited.get(message.id) ? " over" : ""), d: `M${from} ${top}C${from} ${top + 45} ${to} ${low - 45} ${to} ${low}` }));
    svg.append(draw("circle", { class: "dot-arrived", cx: from, cy: top, r: 4 }));
    svg.append(draw("circle", { class: isWaited.get(message.id) ? "dot-waited" : "dot-delivered", cx: to, cy: low, r: 4 }));
    if (at % 10 === 0) svg.append(draw("text", { x: to, y: low + 20, "text-anchor": "middle" }, message.position));
  });
}

/* ---------------------------------------------------------------- history */

const historyTree = new TreeView($("history-tree"), {
  onChoose: (node) => showDetail($("history-detail"), node),
  emptyWords: () => ($("history-summary").className === "wrong" ? "" : state.isAsking ? "Reading the tables …" : $("history-summary").textContent ? "No message fits." : "Ask the tables: search, or go back to a position or a time."),
});

async function showHistory(words, address, parameters) {
  const summary = $("history-summary");
  summary.textContent = "reading the tables …"; summary.className = "quiet";
  state.isAsking = true;
  const question = (showHistory.question = (showHistory.question || 0) + 1);
  if (!historyTree.lines.length) historyTree.refresh(true);
  try {
    const answer = await ask("api/history/" + address, parameters);
    if (question !== showHistory.question) return; // somebody has asked something else since
    const found = new Talk();
    for (const message of answer.messages) {
      const isFromMany = message.group && message.group !== state.group;
      const own = isFromMany ? { ...message, parents: [], id: message.id } : message;
      if (address === "search") own.parents = [];
      if (!found.nodes.has(own.id)) found.put(own);
    }
    for (const one of answer.held) found.hold({ ...one, parents: [], text: "" });
    historyTree.talk = found; historyTree.folded.clear(); historyTree.isFlat = address === "search"; historyTree.chosen = null;
    historyTree.box.scrollTop = 0;
    state.isAsking = false;
    showDetail($("history-detail"), null);
    const cut = answer.total > answer.messages.length ? " (the last " + number(answer.messages.length) + " are shown)" : "";
    const mine = overviewGroups().find((one) => one.group === parameters.group);
    const isShort = address === "as-of" && mine && parameters.position > answer.total && answer.total < mine.delivered;
    summary.textContent = words + ": " + counted(answer.total, "message", "messages") + cut + (answer.held.length ? ", " + number(answer.held.length) + " held then" : "") + (isShort ? ", the tables are still being written" : "");
    historyTree.refresh(true);
  } catch (problem) { state.isAsking = false; summary.textContent = problem.message; summary.className = "wrong"; historyTree.refresh(true); }
}
function fillSlider() {
  const mine = overviewGroups().find((one) => one.group === state.group);
  $("as-of-slider").max = mine ? mine.delivered : 0;
  const now = new Date();
  if (!$("as-of-time").value) $("as-of-time").value = new Date(now - now.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
  if (!$("as-of-position").value && mine) { $("as-of-slider").value = mine.delivered; $("as-of-position").value = mine.delivered; }
}
/* One question at a time; the others are a key away. */
function chooseQuestion(name) {
  for (const choice of document.querySelectorAll("[name=question]")) {
    choice.checked = choice.value === name;
    $("ask-" + choice.value).hidden = choice.value !== name;
  }
}
for (const choice of document.querySelectorAll("[name=question]")) choice.addEventListener("change", () => chooseQuestion(choice.value));
function asks(id, question) { $(id).addEventListener("submit", (event) => { event.preventDefault(); question(); }); }
asks("ask-search", () => showHistory("found", "search", { text: $("search-text").value, sender: $("search-sender").value, group: $("search-everywhere").checked ? "" : state.group }));
asks("ask-position", () => showHistory("as of position " + $("as-of-position").value, "as-of", { group: state.group, position: $("as-of-position").value }));
asks("ask-time", () => {
  const at = new Date($("as-of-time").value).getTime();
  if (Number.isNaN(at)) { $("history-summary").textContent = "choose a date and a time first"; $("as-of-time").focus(); return; }
  showHistory("as of " + clock(at * MICROSECONDS), "as-of", { group: state.group, at: at * MICROSECONDS });
});
asks("ask-thread", () => showHistory("thread of " + $("thread-id").value, "thread", { group: state.group, id: $("thread-id").value.trim() }));
asks("ask-join", () => showHistory("a newcomer who wants " + $("join-policy").value, "join", { group: state.group, policy: $("join-policy").value, count: $("join-count").value, id: $("join-thread").value.trim() }));
$("as-of-slider").addEventListener("input", () => { $("as-of-position").value = $("as-of-slider").value; });
$("as-of-slider").addEventListener("change", () => $("ask-position").requestSubmit());
function showJoinFields() { $("join-count").hidden = $("join-policy").value !== "last"; $("join-thread").hidden = $("join-policy").value !== "thread"; }
$("join-policy").addEventListener("change", showJoinFields);
showJoinFields();

/* ---------------------------------------------------------------- health */

const ANOMALIES = { // what each would mean if it were not 0
  lost: "captured, and neither delivered nor held nor put aside", duplicated: "delivered twice", out_of_order: "delivered before what it needs",
  unseen: "delivered, but not in the tables", payload_mismatch: "delivered with other content than was captured",
};
function showHealth() {
  const { totals, partitions, verify, gap_news: news } = state.overview;
  const card = $("violations");
  const isKnown = verify.violations !== undefined;
  $("violations-count").textContent = isKnown ? number(verify.violations) : "–";
  $("violations-word").textContent = verify.violations === 1 ? "violation" : "violations";
  if (isKnown && verify.violations !== showHealth.told) { showHealth.told = verify.violations; announce(counted(verify.violations, "violation", "violations")); }
  card.classList.toggle("good", isKnown && verify.violations === 0);
  card.classList.toggle("bad", isKnown && verify.violations > 0);
  const words = { "not yet": "not verified yet", failed: verify.problem, lagging: "verified; the tables are still being written", ok: "verified", wrong: "something is wrong" };
  $("violations-when").textContent = words[verify.state] + (verify.at ? ", " + ago(verify.at) + ", in " + verify.took_s + " s" : "");
  const lag = partitions.reduce((sum, one) => (one.lag === null || sum === null ? null : sum + one.lag), 0);
  const newest = Math.max(0, ...partitions.map((one) => one.seen_at));
  $("health-summary").textContent = partitions.length ? "" : "the job has not spoken yet";
  showTotals({ ...totals, "lag, records": partitions.length ? lag : null, "last batch": newest });
  showVerified(verify);
  $("partitions-body").replaceChildren(...partitions.map((one) => {
    const row = make("tr");
    const head = make("th", "", one.partition); head.scope = "row";
    row.append(head, ...[number(one.captured), number(one.delivered), number(one.held), number(one.lag), ago(one.seen_at)].map((text) => make("td", "number", text)));
    return row;
  }));
  showGapNews(news);
  $("verify-now").disabled = !state.token;
  $("verify-now").title = state.token ? "" : "Needs the token: open the page with the address that was printed";
}
function showTotals(values) {
  const cards = $("totals");
  if (!cards.children.length) for (const name of ["captured", "delivered", "held", "duplicates", "quarantined", "groups", "lag, records", "last batch"]) {
    const one = make("div"); one.append(make("dt", "", name), make("dd")); cards.append(one);
  }
  for (const one of cards.children) {
    const name = one.firstChild.textContent;
    one.lastChild.textContent = name === "last batch" ? (values[name] ? ago(values[name]) : "–") : number(values[name]);
    one.classList.toggle("alarm", ["held", "quarantined"].includes(name) && values[name] > 0);
  }
}
function showVerified(verify) {
  const anomalies = $("anomalies");
  anomalies.replaceChildren();
  if (!verify.anomalies) { fact(anomalies, "–", "nothing has been verified yet"); return; }
  for (const [name, count] of Object.entries(verify.anomalies)) {
    const isLate = name === "unseen" && verify.state === "lagging";
    const value = make("span", count && !isLate ? "wrong" : "", number(isLate ? 0 : count));
    const entry = make("span"); entry.append(value, make("span", "quiet", isLate ? "  " + number(count) + " of the newest are still to be written" : "  " + (ANOMALIES[name] || "")));
    fact(anomalies, name.replace(/_/g, " "), entry);
    if (!isLate) for (const example of (verify.examples || {})[name] || []) fact(anomalies, "", make("span", "mono", example));
  }
}
function showGapNews(news) {
  const key = JSON.stringify(news);
  if (key === showGapNews.key) return; // leaves a selection and the place of the scroll alone
  showGapNews.key = key;
  $("gap-news").replaceChildren(...(news.length ? news.map((one) => {
    const line = make("li");
    const tone = { open: "warn", closed: "good", abandoned: "bad" }[one.status];
    const word = { open: "missing", closed: "came", abandoned: "given up" }[one.status] || one.status;
    const link = make("a", "", one.group); link.href = "#/conversation/" + encodeURIComponent(one.group);
    const what = make("span", "what"); what.append(make("span", "mono", one.waiting_for), " in ", link, one.measure === "id" ? "" : ", " + one.measure + " up to it");
    const time = make("time", "quiet", clock(one.at).slice(11, 19)); time.dateTime = new Date(one.at / MICROSECONDS).toISOString(); time.title = clock(one.at);
    line.append(make("span", "pill plain " + tone, word), what, time);
    return line;
  }) : [make("li", "quiet", "Nothing has been missing for longer than a tick.")]));
}
$("verify-now").addEventListener("click", async () => {
  try { await write("api/verify", {}); $("violations-when").textContent = "verifying …"; } catch (problem) { $("violations-when").textContent = problem.message; }
});

/* ---------------------------------------------------------------- where we are, keys, theme */

const VIEWS = ["groups", "conversation", "space-time", "history", "health"];

function takeToken() {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem("token", decodeURIComponent(found[1]));
    // Out of the address, so that it is neither bookmarked nor seen over a shoulder.
    history.replaceState(null, "", location.pathname + "#" + (location.hash.slice(1).replace(/&?token=[^&]+/, "") || "/groups"));
  }
  state.token = sessionStorage.getItem("token") || "";
}
function route() {
  if (/[#&]token=/.test(location.hash)) takeToken();
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, group] = path.split("/").map(decodeURIComponent);
  state.view = VIEWS.includes(view) ? view : "groups";
  if (group) state.group = group;
  for (const name of VIEWS) {
    $("view-" + name).hidden = name !== state.view;
    const tab = document.querySelector(`[data-view="${name}"]`);
    if (name === state.view) tab.setAttribute("aria-current", "page"); else tab.removeAttribute("aria-current");
    tab.href = "#/" + name + (state.group && !["groups", "health"].includes(name) ? "/" + encodeURIComponent(state.group) : "");
  }
  document.title = "Precede · " + document.querySelector(`[data-view="${state.view}"]`).textContent;
  if (state.overview) showOverview();
  if (state.group) openTalk(state.group);
  const parameters = new URLSearchParams(query || "");
  if (state.view === "conversation") { showConversation(); if (parameters.get("message")) { tree.refresh(true); tree.choose(parameters.get("message"), true); } }
  if (state.view === "space-time") showSpaceTime();
  if (state.view === "history") {
    fillSlider();
    if (parameters.get("thread")) { chooseQuestion("thread"); $("thread-id").value = parameters.get("thread"); $("ask-thread").requestSubmit(); }
    else if (state.group && route.asked !== state.group) { chooseQuestion("position"); $("ask-position").requestSubmit(); }
    route.asked = state.group;
  }
}
for (const select of document.querySelectorAll(".group-choice")) select.addEventListener("change", () => { $("as-of-position").value = ""; chooseGroup(select.value); });
for (const button of document.querySelectorAll("[data-sort]")) button.addEventListener("click", () => {
  const by = button.dataset.sort;
  state.sort = { by, isDown: state.sort.by === by ? !state.sort.isDown : by !== "group" && by !== "discipline" };
  showGroups();
});
$("groups-filter").addEventListener("input", () => { if (state.overview) showGroups(); });
$("follow").addEventListener("change", () => setFollow($("follow").checked));
$("flat").addEventListener("change", () => { tree.isFlat = $("flat").checked; tree.refresh(true); });
for (const id of ["space-count", "space-axis"]) $(id).addEventListener("change", showSpaceTime);

function changeTheme() {
  const isDark = (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  document.documentElement.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
}
$("theme").addEventListener("click", changeTheme);
// Not as a link would do it: the part behind # says which view is shown.
$("skip").addEventListener("click", (event) => { event.preventDefault(); focusView(); });
$("help-button").addEventListener("click", () => $("help").showModal());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const own = state.view === "history" ? historyTree : tree;
  if (/^(TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.matches("input:not([type=checkbox], [type=radio])")) {
    if (event.key === "Escape") (event.target.closest(".detail") ? own.box : event.target).focus();
    if (event.key === "Escape" && !event.target.closest(".detail")) event.target.blur();
    return;
  }
  const place = Number(event.key);
  if (place >= 1 && place <= VIEWS.length) { go(document.querySelector(`[data-view="${VIEWS[place - 1]}"]`).getAttribute("href")); focusView(); }
  else if (event.key === "?") $("help").showModal();
  else if (event.key === "t") changeTheme();
  else if (event.key === "/") { go("#/history" + (state.group ? "/" + encodeURIComponent(state.group) : "")); chooseQuestion("search"); $("search-text").focus(); }
  else if (event.key === "f" && state.view === "conversation") setFollow(!tree.follows);
  else if (event.key === "o" && state.view === "conversation") { $("flat").checked = !$("flat").checked; tree.isFlat = $("flat").checked; tree.refresh(true); }
  else if (event.key === "r" && $("answer-text")) $("answer-text").focus();
  else if (event.key === "Escape" && own.chosen !== null) { own.choose(null, true); own.box.focus(); }
  else return;
  event.preventDefault();
});
/* At once, so that the next key finds the view already there. */
function go(hash) { location.hash = hash; route(); }
function focusView() { (state.view === "conversation" ? $("tree") : state.view === "history" ? $("history-tree") : $("main")).focus(); }

if (localStorage.getItem("theme")) document.documentElement.dataset.theme = localStorage.getItem("theme");
takeToken();
addEventListener("hashchange", route);
addEventListener("resize", () => { if (state.view === "space-time") laterSpaceTime(); });
showDetail($("detail"), null);
showDetail($("history-detail"), null);
chooseQuestion("position");
route();
openOverview();
