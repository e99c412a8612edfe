"use strict";
// Whatever a model wrote reaches the page as text nodes alone, and the page's policy runs no other script than this one.

const PAGE_ROWS = 200;
const find = (selector) => document.querySelector(selector);

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const figure = (value, digits = 3) => (value === null || value === undefined ? "–" : String(Number(value.toFixed(digits))));
const words = (name) => String(name).replaceAll("_", " ");
const mark = (yes) => element("span", { className: yes ? "good" : "bad", title: yes ? "yes" : "no" }, yes ? "✓" : "✗");
const params = () => new URLSearchParams(location.hash.slice(1));

function go(changes, { replace = false } = {}) {
  const next = params();
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const hash = "#" + next.toString();
  if (replace) {
    history.replaceState(null, "", hash);
    show();
  } else {
    location.hash = hash;
  }
}

const openOf = (line) => `${line.step}.${line.group.group}.${line.attempt}`;

// ---------------------------------------------------------------------------------------------------------- the list

const lines = []; // every rollout on the page
let listed = []; // those that pass the filters, in order
const whole = new Set(); // "step.group" of the groups that are here with everything
let room = PAGE_ROWS;
let at = 0; // the line that the keys are at
let tuned = ""; // the filters of `listed`

function passes(line, wanted) {
  const text = (wanted.get("text") || "").toLowerCase();
  const [least, most] = [wanted.get("least"), wanted.get("most")];
  const left = wanted.get("left");
  return (
    (!wanted.get("step") || String(line.step) === wanted.get("step")) &&
    (!wanted.get("solved") || line.solved === (wanted.get("solved") === "1")) &&
    (!wanted.get("ending") || line.ending === wanted.get("ending")) &&
    (!left || (line.left_out || "-") === left) &&
    (!least || line.reward >= Number(least)) &&
    (!most || line.reward <= Number(most)) &&
    (!text || `${line.group.task} ${line.group.domain || ""} ${line.group.says}`.toLowerCase().includes(text))
  );
}

function inOrder(found, order) {
  if (!order) return found;
  const sign = order.startsWith("-") ? 1 : -1;
  const name = order.replace("-", "");
  const known = found.filter((line) => line[name] !== null);
  return known.sort((one, other) => sign * (one[name] - other[name])).concat(found.filter((line) => line[name] === null));
}

function listRow(line, place) {
  const link = element("a", { href: "#" + withOpen(line) }, line.group.says || line.group.task);
  const cells = [
    [line.step],
    [link, element("div", { className: "id" }, [line.group.domain, line.group.task].filter(Boolean).join(" · "))],
    [line.attempt, "wide"],
    [mark(line.solved)],
    [words(line.ending), "wide"],
    [figure(line.reward)],
    [figure(line.advantage, 2)],
    [line.calls, "wide"],
    [line.sampled, "wide"],
    [line.left_out ? words(line.left_out) : "", "wide"],
  ];
  const made = cells.map(([content, kind, ...more]) =>
    typeof kind === "string" || kind === undefined
      ? element("td", { className: kind || "" }, content)
      : element("td", {}, content, kind, ...more),
  );
  const row = element("tr", { className: place === at ? "at" : "" }, ...made);
  row.dataset.place = place;
  return row;
}

function withOpen(line) {
  const next = params();
  next.set("open", openOf(line));
  return next.toString();
}

function filterList() {
  const wanted = params();
  wanted.delete("open");
  if (wanted.toString() === tuned && listed.length) return;
  tuned = wanted.toString();
  listed = inOrder(lines.filter((line) => passes(line, wanted)), wanted.get("sort"));
  room = PAGE_ROWS;
  at = 0;
}

function showList() {
  const form = find("#filter");
  if (!form) return;
  const wanted = params();
  for (const field of form.elements) if (document.activeElement !== field) field.value = wanted.get(field.name) || "";
  find("#list tbody").replaceChildren(...listed.slice(0, room).map(listRow));
  const solved = listed.filter((line) => line.solved).length;
  const mean = listed.reduce((sum, line) => sum + line.reward, 0) / Math.max(1, listed.length);
  find("#count").textContent = listed.length
    ? `${listed.length} of ${lines.length} rollouts; ${solved} solved; mean reward ${figure(mean)}`
    : `None of ${lines.length} rollouts is like that.`;
  const more = find("#more");
  more.hidden = listed.length <= room;
  more.textContent = `${Math.min(PAGE_ROWS, listed.length - room)} more`;
}

function moveTo(place) {
  if (!listed.length) return;
  at = Math.max(0, Math.min(listed.length - 1, place));
  while (at >= room) room += PAGE_ROWS;
  showList();
  find("#list tr.at").scrollIntoView({ block: "nearest" });
}

// -------------------------------------------------------------------------------------------------------- one rollout

let beside = window.innerWidth > 1100; // whether all of a group are side by side
let asTokens = false;
let colours = null; // by what tokens are coloured; null takes the most telling
let group = null; // the one that is open, and its key
let groupKey = "";

const COLOURS = {
  updated: {
    label: "ratio after the update",
    value: (rollout, place) => difference(rollout.updated, rollout.trainer, place),
    says: (most) => ["less likely by the update", `likelier (full colour: ratio ${figure(Math.exp(most))})`],
    range: (values) => Math.max(0.001, percentile(values)),
  },
  mismatch: {
    label: "ratio of trainer to engine",
    value: (rollout, place) => difference(rollout.trainer, rollout.engine, place),
    says: (most) => ["less likely to the trainer than to the engine", `likelier (full colour: ratio ${figure(Math.exp(most))})`],
    range: (values) => Math.max(0.01, percentile(values)),
  },
  probability: {
    label: "probability",
    value: (rollout, place) => nats(rollout.engine, place),
    says: () => ["was unlikely (full colour: 2 %)", "was certain"],
    range: () => 4,
  },
  advantage: {
    label: "advantage",
    value: (rollout, place) => nats(rollout.advantages, place),
    says: (most) => ["shall become less likely", `likelier (full colour: ${figure(most)})`],
    range: (values) => Math.max(0.001, percentile(values)),
  },
};

const nats = (list, place) => (list && list[place] !== null ? list[place] / 1000 : null);
function difference(one, other, place) {
  const [above, below] = [nats(one, place), nats(other, place)];
  return above === null || below === null ? null : above - below;
}
function percentile(values) {
  const sizes = values.map(Math.abs).sort((one, other) => one - other);
  return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
}
function valuesBy(name) {
  return group.rollouts.flatMap((rollout) => rollout.engine.map((_, place) => COLOURS[name].value(rollout, place)).filter((value) => value !== null));
}
const possibleColours = () => Object.keys(COLOURS).filter((name) => valuesBy(name).length);
function chosenColours() {
  const possible = possibleColours();
  return possible.includes(colours) ? colours : possible.includes("updated") ? "updated" : "probability";
}
function paint(value, most) {
  if (value === null) return "";
  const share = Math.min(1, Math.abs(value) / most);
  return value < 0 ? `rgba(217, 119, 38, ${(0.75 * share).toFixed(3)})` : `rgba(63, 111, 181, ${(0.65 * share).toFixed(3)})`;
}

function tokenView(rollout) {
  const name = chosenColours();
  const most = COLOURS[name].range(valuesBy(name));
  const box = element("pre", { className: "tokens" });
  let [token, sampled, own] = [0, false, 0];
  for (const run of rollout.runs) {
    for (let left = run; left > 0; left -= 1, token += 1) {
      const text = (group.words[rollout.tokens[token]] || "▫").replaceAll("\n", "⏎\n");
      const span = element("i", { className: sampled ? "" : "given" }, text);
      if (sampled) {
        span.style.background = paint(COLOURS[name].value(rollout, own), most);
        span.dataset.token = `${rollout.attempt} ${token} ${own}`;
        own += 1;
      }
      box.append(span);
    }
    sampled = !sampled;
  }
  if (rollout.more_tokens) box.append(` … [${rollout.more_tokens} more tokens, in the Parquet file]`);
  return box;
}

function legend() {
  const name = chosenColours();
  const most = COLOURS[name].range(valuesBy(name));
  const [low, high] = COLOURS[name].says(most);
  const scale = element("span", { className: "scale" });
  scale.style.background = `linear-gradient(90deg, ${paint(-most, most)}, #fff, ${name === "probability" ? "#fff" : paint(most, most)})`;
  const grey = "; grey: not the policy’s own words";
  return element("div", { className: "legend" }, low, scale, high + grey);
}

function tellToken(span) {
  const bar = find("#token");
  const [attempt, token, own] = span.dataset.token.split(" ").map(Number);
  const rollout = group.rollouts.find((one) => one.attempt === attempt);
  const facts = [];
  const say = (name, value) => value !== null && facts.push(`${name} ${value}`);
  const likely = (value) => (value === null ? null : `${figure(100 * Math.exp(value), 2)} % (${figure(value)})`);
  const ratio = (value) => (value === null ? null : figure(Math.exp(value), 4));
  say("engine", likely(nats(rollout.engine, own)));
  say("trainer", likely(nats(rollout.trainer, own)));
  say("after the update", likely(nats(rollout.updated, own)));
  say("ratio", ratio(difference(rollout.updated, rollout.trainer, own)));
  say("advantage", rollout.advantages ? figure(nats(rollout.advantages, own)) : null);
  const text = JSON.stringify(group.words[rollout.tokens[token]]);
  bar.replaceChildren(element("code", {}, text), ` token ${rollout.prompt_tokens + token}: ${facts.join(", ")}`);
  bar.hidden = false;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1).replace(/\n\s*/g, " ");
  } catch {
    return text;
  }
}

function messageView(message) {
  const calls = message.calls.map(([name, given]) => element("pre", {}, element("b", {}, name), " ", pretty(given)));
  const said = message.content ? [element("pre", {}, message.content)] : [];
  return element("div", { className: `message ${message.role}` }, element("b", {}, message.role), ...said, ...calls);
}

function callsView(rollout) {
  if (!rollout.calls.length) return element("p", { className: "soft" }, "No call was made.");
  const rows = rollout.calls.map((call) =>
    element("tr", {}, element("td", {}, mark(!call.error_type && !call.error)), element("td", {}, element("pre", {}, element("b", {}, call.name), " ", pretty(call.arguments || ""))), element("td", {}, element("pre", { className: call.error ? "bad" : "" }, call.error ? `${call.error_type || ""} ${call.error}` : call.result || ""))),
  );
  const table = element("table", { className: "small" }, element("tbody", {}, ...rows));
  return element("details", { open: false }, element("summary", {}, rollout.calls.length === 1 ? "The call and what came of it" : `${rollout.calls.length} calls and what came of them`), table);
}

function verdictView(rollout) {
  const criteria = Object.entries(rollout.criteria).map(([name, holds]) => element("span", {}, mark(holds), ` ${name} `));
  const reasons = rollout.reasons.map((reason) => element("li", {}, reason));
  const fault = rollout.fault ? element("p", { className: "bad" }, `Breaks the format: ${rollout.fault}`) : null;
  return element("div", {}, element("p", { className: "facts" }, ...criteria), fault, reasons.length ? element("ul", {}, ...reasons) : null);
}

function figuresTable(head, rows) {
  const titles = element("tr", {}, ...head.map((text) => element("th", {}, text)));
  const body = rows.map(({ cells, sum }) => element("tr", { className: sum ? "sum" : "" }, ...cells.map((text) => element("td", {}, text))));
  return element("table", { className: "small" }, element("thead", {}, titles), element("tbody", {}, ...body));
}

function rewardView(rollout) {
  const parts = Object.entries(rollout.parts || {}).map(([name, value]) => ({ cells: [words(name), figure(value, 4)] }));
  parts.push({ cells: ["R", figure(rollout.reward, 4)], sum: true });
  const tables = [];
  if (rollout.wanted) {
    const told = Object.keys(rollout.measured).filter((name) => rollout.measured[name] || rollout.wanted[name]);
    const share = (name) => (rollout.shares ? figure(rollout.shares[name], 4) : "–");
    const rows = told.map((name) => ({ cells: [name, figure(rollout.measured[name], 5), figure(rollout.wanted[name], 3), share(name)] }));
    const total = rollout.shares ? Object.values(rollout.shares).reduce((sum, one) => sum + one, 0) : null;
    tables.push(figuresTable(["", "M", "P", "of M · P"], [...rows, { cells: ["M · P", "", "", figure(total, 4)], sum: true }]));
  }
  if (!rollout.wanted || parts.length > 2) tables.push(figuresTable(["", "part of R"], parts));
  return element("div", {}, ...tables);
}

function factsView(rollout) {
  const facts = [
    ["ending", words(rollout.ending)],
    ["reward", figure(rollout.reward)],
    ["advantage", figure(rollout.advantage)],
    ["learnt from", rollout.left_out ? `no: ${words(rollout.left_out)}` : "yes"],
    ["tokens", `${rollout.engine.length} sampled, ${rollout.prompt_tokens} before`],
    ["seconds", figure(rollout.seconds, 1)],
    ...(rollout.dollars ? [["dollars", figure(rollout.dollars, 6)]] : []),
    ["weights of step", [...new Set(rollout.versions)].join(", ") || "–"],
  ];
  return element("p", { className: "facts" }, ...facts.map(([name, value]) => element("span", {}, `${name} `, element("b", {}, value))));
}

function rolloutView(rollout, isOpen) {
  const content = asTokens ? [legend(), tokenView(rollout)] : rollout.messages.map(messageView);
  return element(
    "article",
    { className: isOpen ? "at" : "" },
    element("h2", {}, `No. ${rollout.attempt} `, mark(rollout.solved)),
    factsView(rollout),
    element("h3", {}, "Verdict"),
    verdictView(rollout),
    element("h3", {}, "Reward"),
    rewardView(rollout),
    element("h3", {}, asTokens ? "Tokens" : "Conversation"),
    ...content,
    asTokens ? null : callsView(rollout),
  );
}

function button(text, pressed, act, key) {
  const made = element("button", { type: "button", onclick: act, title: key ? `key ${key}` : "" }, text);
  if (pressed !== null) made.setAttribute("aria-pressed", String(pressed));
  return made;
}

async function showRollout(open) {
  const page = find("#rollout");
  const [step, number, attempt] = open.split(".").map(Number);
  const line = lines.find((one) => openOf(one) === open);
  if (!line) {
    page.replaceChildren(element("p", { className: "note" }, "That rollout is not on this page. "), button("back to the list", null, back));
    return;
  }
  const place = listed.indexOf(line);
  if (place >= 0) at = place;
  const top = element(
    "div",
    { className: "bar" },
    button("← all rollouts", null, back, "u"),
    button("previous", null, () => stepBy(-1), "k"),
    button("next", null, () => stepBy(1), "j"),
    element("span", { className: "soft" }, place >= 0 ? `${place + 1} of ${listed.length}` : "not among the filtered"),
  );
  const title = element("h2", {}, `Step ${step}, task ${line.group.task}${line.group.domain ? ` (${line.group.domain})` : ""}`);
  if (!whole.has(`${step}.${number}`)) {
    const where = `rollouts/step-${String(step).padStart(8, "0")}.parquet`;
    page.replaceChildren(top, title, element("p", { className: "note" }, `This step’s rollouts are too long for the page; this one is in ${where}, group ${number}.`));
    return;
  }
  if (groupKey !== `${step}-${number}`) {
    group = await unpacked(`group-${step}-${number}`);
    groupKey = `${step}-${number}`;
  }
  const members = group.rollouts.map((one) =>
    button("", one.attempt === attempt, () => go({ open: `${step}.${number}.${one.attempt}` }), one.attempt < 10 ? String(one.attempt) : ""),
  );
  members.forEach((made, each) => {
    const one = group.rollouts[each];
    made.append(`No. ${one.attempt} ${one.solved ? "✓" : "✗"}`, element("small", {}, `R ${figure(one.reward, 2)}, A ${figure(one.advantage, 2)}`));
  });
  const name = chosenColours();
  const choice = element("select", { title: "key c", onchange: (event) => change(() => (colours = event.target.value)) });
  choice.append(...possibleColours().map((one) => element("option", { value: one, selected: one === name }, COLOURS[one].label)));
  const tools = element(
    "div",
    { className: "bar" },
    element("div", { className: "members" }, ...members),
    element("span", { className: "space" }),
    button("side by side", beside, () => change(() => (beside = !beside)), "b"),
    button("tokens", asTokens, () => change(() => (asTokens = !asTokens)), "t"),
    asTokens ? element("label", { className: "soft" }, "coloured by ", choice) : null,
  );
  const opening = element("details", {}, element("summary", {}, `What all of the group were told: ${group.opening.length} messages, ${group.rollouts[0].prompt_tokens} tokens with the tools`), ...group.opening.map(messageView));
  const last = group.opening.findLast((message) => message.role === "user");
  const chosen = group.rollouts.filter((one) => beside || one.attempt === attempt);
  const columns = element("div", { className: chosen.length > 1 ? "columns several" : "columns" }, ...chosen.map((one) => rolloutView(one, one.attempt === attempt)));
  const keys = element("p", { className: "soft keys" }, "Keys: j k next and previous, 0–9 another of the group, b side by side, t tokens, c colours, u back.");
  page.replaceChildren(top, title, last ? messageView(last) : "", opening, tools, columns, keys);
  const openColumn = find(".columns.several > article.at");
  if (openColumn) columns.scrollLeft = openColumn.offsetLeft - columns.offsetLeft;
}

function change(act) {
  act();
  const height = window.scrollY;
  show().then(() => window.scrollTo(0, height));
}
function stepBy(by) {
  const place = listed.findIndex((line) => openOf(line) === params().get("open"));
  const next = listed[place + by];
  if (next) go({ open: openOf(next) }, { replace: true });
}
function back() {
  go({ open: "" });
}

// -------------------------------------------------------------------------------------------------------------- both

let shown = null;

async function show() {
  const open = params().get("open");
  filterList();
  find("#token").hidden = true;
  find("#overview").hidden = Boolean(open);
  find("#rollout").hidden = !open;
  if (open) await showRollout(open);
  else showList();
  if (Boolean(open) !== shown && shown !== null) {
    if (open) window.scrollTo(0, 0);
    else if (find("#list tr.at")) find("#list tr.at").scrollIntoView({ block: "center" });
  }
  shown = Boolean(open);
}

function hearKeys(event) {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const open = params().get("open");
  const keys = open
    ? {
        j: () => stepBy(1),
        k: () => stepBy(-1),
        u: back,
        Escape: back,
        b: () => change(() => (beside = !beside)),
        t: () => change(() => (asTokens = !asTokens)),
        c: () => change(() => {
          const possible = possibleColours();
          asTokens = true;
          colours = possible[(possible.indexOf(chosenColours()) + 1) % possible.length];
        }),
      }
    : {
        j: () => moveTo(at + 1),
        k: () => moveTo(at - 1),
        Enter: () => listed[at] && go({ open: openOf(listed[at]) }),
        "/": () => find("#filter [name=text]").focus(),
      };
  if (open && /^[0-9]$/.test(event.key)) keys[event.key] = () => go({ open: open.replace(/\d+$/, event.key) }, { replace: true });
  if (keys[event.key] && (event.key !== "Enter" || event.target.tagName !== "A")) {
    event.preventDefault();
    keys[event.key]();
  }
}

async function start() {
  const index = await unpacked("index");
  for (const { step, groups, whole: numbers } of index.steps.reverse()) {
    for (const number of numbers) whole.add(`${step}.${number}`);
    for (const one of groups) for (const rollout of one.rollouts) lines.push({ step, group: one, ...rollout });
  }
  document.querySelectorAll("figure[data-curve]").forEach((drawn) => {
    const said = index.curves[Number(drawn.dataset.curve)];
    for (const link of drawn.querySelectorAll("a")) {
      const step = (link.getAttribute("xlink:href") || link.getAttribute("href") || "").replace("#step=", "");
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = said[step] || "";
      link.append(title);
      link.addEventListener("click", () => setTimeout(() => find("#rollouts").scrollIntoView()));
    }
  });
  const form = find("#filter");
  if (form) {
    const options = (name, values) => form.elements[name].append(...values.map((value) => element("option", { value }, words(value))));
    options("step", [...new Set(lines.map((line) => line.step))]);
    options("ending", [...new Set(lines.map((line) => line.ending))].sort());
    options("left", [...new Set(lines.map((line) => line.left_out).filter(Boolean))].sort());
    form.addEventListener("input", (event) => go({ [event.target.name]: event.target.value }, { replace: true }));
    form.addEventListener("submit", (event) => event.preventDefault());
    find("#more").addEventListener("click", () => {
      room += PAGE_ROWS;
      showList();
    });
    find("#list tbody").addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row && !event.target.closest("a")) go({ open: openOf(listed[Number(row.dataset.place)]) });
    });
  }
  const told = (event) => event.target.dataset && event.target.dataset.token && tellToken(event.target);
  find("#rollout").addEventListener("mouseover", told);
  find("#rollout").addEventListener("click", told);
  window.addEventListener("hashchange", show);
  window.addEventListener("keydown", hearKeys);
  await show();
}

start();
