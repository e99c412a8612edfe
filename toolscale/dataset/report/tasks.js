// ------------------------------------------------------------------------------------------------------------- tasks

const IN_A_BLOCK = 10;
const LISTED = 300;
let listed = []; // the tasks that pass the filters
let block = null; // the one that is open, and its number
let blockNumber = -1;

const FILTERS = {
  function: (task, name) => task.reaches.some(([called]) => called === name),
  rule: (task, name) => task.reaches.some(([called, rules]) => rules.includes(name) && (!params().get("function") || called === params().get("function"))),
  calls: (task, count) => task.calls === Number(count),
  solved: (task, share) => `${task.solved}/${task.attempts}` === share,
  domain: (task, name) => task.domain === name,
  text: (task, text) => `${task.id} ${task.intent} ${task.says}`.toLowerCase().includes(text.toLowerCase()),
};
const SAYS = { function: (name) => `calls ${name}`, rule: (name) => `rule ${words(name)}`, calls: (count) => many(Number(count), "golden call"), solved: (share) => `solved ${share.replace("/", " of ")}` };

function jump(changes) {
  go({ function: "", rule: "", calls: "", solved: "", text: "", task: "", ...changes });
  find("#tasks").scrollIntoView();
}

function open(id) {
  const there = data.tasks.some((task) => task.id === id);
  go({ function: "", rule: "", calls: "", solved: "", text: "", task: id });
  find("#tasks").scrollIntoView();
  find("#missing").hidden = there;
}

function filtered() {
  const wanted = params();
  return data.tasks.filter((task) => Object.entries(FILTERS).every(([name, passes]) => !wanted.get(name) || passes(task, wanted.get(name))));
}

function startTasks() {
  find("#search").addEventListener("input", (event) => go({ text: event.target.value, task: "" }));
  find("#previous").addEventListener("click", () => turn(-1));
  find("#next").addEventListener("click", () => turn(1));
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (typing && event.key === "Escape") event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = { j: () => turn(1), k: () => turn(-1), "/": () => find("#search").focus(), Escape: () => jump({}) };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
}

function turn(by) {
  const at = listed.findIndex((task) => task.id === params().get("task"));
  const next = listed[Math.max(0, (at < 0 ? 0 : at) + by)];
  if (!next) return;
  go({ task: next.id });
  find("#tasks").scrollIntoView({ block: "start" });
}

async function showTasks() {
  const wanted = params();
  listed = filtered();
  if (document.activeElement !== find("#search")) find("#search").value = wanted.get("text") || "";
  const chips = Object.entries(SAYS).filter(([name]) => wanted.get(name));
  find("#chips").replaceChildren(
    ...chips.map(([name, says]) => element("button", { type: "button", className: "chip", title: "take this filter away", onclick: () => go({ [name]: "", task: "" }) }, `${says(wanted.get(name))} ×`)),
  );
  const current = listed.find((task) => task.id === wanted.get("task")) || (wanted.get("task") ? null : listed[0]);
  find("#missing").hidden = Boolean(current) || !wanted.get("task");
  find("#count").textContent = listed.length === data.tasks.length ? many(listed.length, "task") : `${listed.length} of ${many(data.tasks.length, "task")}`;
  find("#list").replaceChildren(
    ...listed.slice(0, LISTED).map((task) => {
      const row = element("button", { type: "button", onclick: () => go({ task: task.id }) }, task.intent, element("small", {}, `${words(task.domain)} · ${many(task.calls, "call")} · solved ${task.solved} of ${task.attempts} · ${task.says}`));
      if (task === current) row.setAttribute("aria-current", "true");
      return element("li", {}, row);
    }),
  );
  const at = listed.indexOf(current);
  find("#place").textContent = current ? `${at + 1} of ${listed.length}` : "none";
  find("#previous").disabled = at <= 0;
  find("#next").disabled = at < 0 || at >= listed.length - 1;
  const line = find('#list [aria-current="true"]');
  if (line) find("#list").scrollTop = line.parentElement.offsetTop - find("#list").offsetTop - 60;
  await showTask(current);
}

async function showTask(task) {
  const page = find("#task");
  if (!task) {
    page.replaceChildren(element("p", { className: "soft" }, listed.length ? "Choose a task above." : "No task is like that: take a filter away."));
    return;
  }
  const number = data.tasks.indexOf(task);
  const wanted = Math.floor(number / IN_A_BLOCK);
  if (wanted !== blockNumber) {
    block = await unpacked(`block-${wanted}`);
    blockNumber = wanted;
  }
  page.replaceChildren(taskView(task, block[number % IN_A_BLOCK]));
}

function taskView(task, told) {
  const made = [`${words(task.domain)} · ${task.split} · `, task.depth ? `made harder ${task.depth === 1 ? "once" : `${task.depth} times`}${told.added ? ` (${told.added})` : ""}` : "first task"];
  if (task.attempts) made.push(` · solved in ${task.solved} of ${many(task.attempts, "attempt")}`);
  if (told.difficulty.length) made.push(` · ${told.difficulty.join(", ")}`);
  const golden = element("div", {}, element("h4", {}, "Golden calls"), callsView(told.golden), element("h4", {}, "What they change"), changesView(told.changes, "Nothing."), ...factsView(told.facts));
  return element(
    "article",
    { id: "task-article", tabIndex: -1 },
    element("h3", {}, task.intent),
    element("p", { className: "facts" }, element("code", {}, task.id), " · ", ...made),
    told.persona ? element("p", {}, element("em", {}, told.persona)) : null,
    element("h4", {}, "The user says"),
    element("blockquote", { dir: "auto" }, ...told.said.map(([name, text]) => element("p", { title: name }, text))),
    element("div", { className: "beside" }, golden, attemptsView(told.tried)),
  );
}

function callsView(calls) {
  return element(
    "ol",
    { className: "calls" },
    ...calls.map(([name, given, result, rules]) =>
      element("li", {}, element("code", {}, element("strong", {}, name), `(${given})`), element("code", { className: "result" }, result), rules.length ? element("span", { className: "rules" }, `rules in play: ${rules.map(words).join("; ")}`) : null),
    ),
  );
}

function changesView(changes, none) {
  if (!changes.length) return element("p", {}, none);
  return element("ul", { className: "changes" }, ...changes.map(([kind, where, value]) => element("li", {}, element("span", { className: `kind ${kind}` }, kind), element("code", {}, `${where}: ${value}`))));
}

const factsView = (facts) => (facts.length ? [element("h4", {}, "What the agent must say"), element("ul", {}, ...facts.map((fact) => element("li", {}, fact)))] : []);

function attemptsView(tried) {
  const place = element("div", {});
  if (!tried.length) {
    place.append(element("h4", {}, "Attempts"), element("p", { className: "soft" }, "The dataset keeps none at this task."));
    return place;
  }
  const showOne = (number) => {
    const one = tried[number];
    const choices = tried.map((each, other) => {
      const made = element("button", { type: "button", onclick: () => showOne(other) }, `No. ${each.attempt} ${each.solved ? "✓" : "✗"}`);
      made.setAttribute("aria-pressed", String(other === number));
      return made;
    });
    const wrong = one.solved ? [] : [
      ...(one.reasons.length ? [element("h4", {}, "What was wrong"), element("ul", {}, ...one.reasons.map((reason) => element("li", { className: "bad" }, reason)))] : []),
      element("h4", {}, "Its database beside the golden one"),
      changesView(one.differences, "The same."),
    ];
    place.replaceChildren(element("h4", {}, "Attempts kept"), element("div", { className: "bar" }, ...choices), ...wrong, element("h4", {}, "Conversation"), ...one.messages.map(messageView));
  };
  showOne(0);
  return place;
}

function messageView(message) {
  return element(
    "div",
    { className: `message ${message.role}`, dir: "auto" },
    element("b", {}, message.role),
    message.text ? element("p", {}, message.role === "tool" ? element("code", {}, message.text) : message.text) : null,
    ...message.calls.map(([name, given]) => element("p", {}, element("code", {}, element("strong", {}, name), `(${given})`))),
  );
}
