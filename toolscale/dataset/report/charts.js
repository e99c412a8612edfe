// ------------------------------------------------------------------------------------------------------------ charts

const INK = "#1f2933", SOFT = "#5b6875", LINE = "#e3e8ed", BLUE = "#3f6fb5", RED = "#c0562f", GREEN = "#3c8d5a";
const DOMAINS = ["#3f6fb5", "#c0562f", "#3c8d5a", "#8a5fb0", "#b8892b", "#3a9ea5", "#a8456f", "#6b7280", "#7c9a2e", "#d07f5b"];
const BLUES = [[0, "#e9f0f9"], [0.5, "#7fa3d3"], [1, "#1f4683"]];
const HARD_TO_EASY = [[0, "#a63a2a"], [0.5, "#d9b45f"], [1, "#2f7d4f"]];

// Plotly reads some tags and entities in what it writes, so none may be left in what others wrote.
const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function folded(text, width = 56) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1).length + word.length > width && lines.at(-1)) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word.slice(0, 2 * width);
  }
  return lines.map(plain).join("<br>");
}

function draw(id, traces, layout, onclick) {
  const place = document.getElementById(id);
  const common = {
    font: { family: 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif', size: 12, color: INK },
    margin: { l: 52, r: 12, t: 8, b: 44 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { align: "left", bgcolor: "#fff", bordercolor: LINE, font: { color: INK } },
    showlegend: false,
    dragmode: false,
    height: 360,
  };
  const settings = { displayModeBar: false, responsive: true, scrollZoom: false };
  Plotly.react(place, traces, { ...common, ...layout }, settings);
  place.removeAllListeners("plotly_click");
  if (onclick) place.on("plotly_click", (event) => onclick(event.points[0]));
}

const axis = (title, more) => ({ title: { text: title, font: { color: SOFT } }, gridcolor: LINE, zeroline: false, fixedrange: true, ...more });

function drawCharts(domain) {
  const { points } = data;
  const mine = points.id ? points.id.map((_, place) => place).filter((place) => !domain || points.domain[place] === domain) : [];
  drawFunnel(domain);
  drawDifficulty(mine);
  drawCoverage(domain);
  drawMap(mine, domain);
  if (data.compared) drawComparison();
}

// Gates one after the other: what each refused leaves the stream.
function drawFunnel(domain) {
  const gates = new Map();
  for (const [name, mine] of Object.entries(data.funnels)) {
    if (domain && name !== domain) continue;
    for (const [gate, refused] of mine) gates.set(gate, (gates.get(gate) || 0) + refused);
  }
  const kept = data.points.id ? data.points.domain.filter((one) => !domain || one === domain).length : 0;
  const refusing = [...gates].filter(([, refused]) => refused);
  let left = kept + sum(refusing.map(([, refused]) => refused));
  const proposed = left;
  const labels = [`proposed ${proposed}`], colours = [BLUE];
  const links = { source: [], target: [], value: [], color: [], label: [] };
  const link = (source, target, value, color, label) => {
    if (!value) return;
    for (const [name, one] of Object.entries({ source, target, value, color, label })) links[name].push(one);
  };
  let at = 0;
  for (const [gate, refused] of refusing) {
    left -= refused;
    labels.push(plain(`${words(gate)} ${refused}`));
    colours.push(RED);
    link(at, labels.length - 1, refused, "rgba(192,86,47,.45)", plain(`${refused} of ${proposed} refused by ${words(gate)}`));
    labels.push("");
    colours.push(BLUE);
    link(at, labels.length - 1, left, "rgba(63,111,181,.28)", `${left} left`);
    at = labels.length - 1;
  }
  for (const split of ["train", "eval"]) {
    const count = data.points.id ? data.points.split.filter((one, place) => one === split && (!domain || data.points.domain[place] === domain)).length : 0;
    if (!count) continue;
    labels.push(`${split} ${count}`);
    colours.push(GREEN);
    link(at, labels.length - 1, count, "rgba(60,141,90,.35)", `${count} kept, in ${split}`);
  }
  find("#funnel-none").hidden = proposed > 0;
  find("#funnel").hidden = !proposed;
  if (!proposed) return;
  const upright = small.matches;
  draw(
    "funnel",
    [{
      type: "sankey",
      orientation: upright ? "v" : "h",
      arrangement: "snap",
      node: { label: labels, color: colours, pad: upright ? 26 : 18, thickness: 12, line: { width: 0 }, hoverinfo: "skip" },
      link: { ...links, hovertemplate: "%{label}<extra></extra>" },
    }],
    { margin: upright ? { l: 40, r: 40, t: 20, b: 24 } : { l: 8, r: 8, t: 16, b: 16 }, height: upright ? 180 + 70 * refusing.length : 360 },
  );
}

// A dot for all tasks of so many calls that were solved so often; a line through the means.
function drawDifficulty(mine) {
  const { points } = data;
  const dots = new Map();
  const sums = new Map();
  let unknown = 0;
  for (const place of mine) {
    const [calls, solved, attempts] = [points.calls[place], points.solved[place], points.attempts[place]];
    if (!attempts) { unknown += 1; continue; }
    const key = `${calls} ${solved} ${attempts}`;
    dots.set(key, (dots.get(key) || 0) + 1);
    const [total, count] = sums.get(calls) || [0, 0];
    sums.set(calls, [total + solved / attempts, count + 1]);
  }
  const rows = [...dots].map(([key, count]) => [...key.split(" ").map(Number), count]);
  const most = Math.max(1, ...rows.map((row) => row[3]));
  const means = [...sums].sort((one, other) => one[0] - other[0]);
  find("#difficulty-unknown").textContent = unknown ? `${many(unknown, "task")} without attempts ${unknown === 1 ? "is" : "are"} left out.` : "";
  find("#difficulty").hidden = !rows.length;
  if (!rows.length) return;
  draw(
    "difficulty",
    [
      {
        type: "scatter", mode: "markers",
        x: rows.map((row) => row[0]), y: rows.map((row) => row[1] / row[2]),
        customdata: rows,
        marker: { size: rows.map((row) => 7 + 31 * Math.sqrt(row[3] / most)), color: BLUE, opacity: 0.6, line: { width: 0 } },
        hoverinfo: "text",
        text: rows.map(([calls, solved, attempts, count]) => `${many(count, "task")}<br>${many(calls, "golden call")}<br>solved in ${solved} of ${many(attempts, "attempt")}`),
      },
      {
        type: "scatter", mode: "lines+markers",
        x: means.map(([calls]) => calls), y: means.map(([, [total, count]]) => total / count),
        line: { color: RED, width: 2 }, marker: { size: 5, color: RED },
        hoverinfo: "text",
        text: means.map(([calls, [total, count]]) => `${many(calls, "golden call")}: mean ${(total / count).toFixed(2)} of ${many(count, "task")}`),
      },
    ],
    { xaxis: axis("golden calls", { tickformat: "d", rangemode: "tozero", dtick: Math.max(0, ...means.map(([calls]) => calls)) > 14 ? undefined : 1 }), yaxis: axis("share of attempts that solved it", { range: [-0.09, 1.1], tickformat: ".0%" }) },
    (point) => point.customdata && jump({ calls: point.customdata[0], solved: `${point.customdata[1]}/${point.customdata[2]}` }),
  );
}

// Functions by rules, for one domain: the first of all where none is chosen.
function drawCoverage(domain) {
  const name = domain || Object.keys(data.coverage)[0];
  const mine = data.coverage[name];
  find("#coverage-of").textContent = name ? words(name) : "";
  if (!mine || !mine.functions.length) return;
  const counts = mine.functions.map(() => mine.rules.map(() => null));
  for (const [row, column, count] of mine.together) counts[row][column] = count;
  const labels = mine.functions.map(([called, , tasks]) => plain(`${called} ${tasks}`));
  const rules = mine.rules.map((_, place) => String(place + 1));
  const narrow = small.matches;
  draw(
    "coverage",
    [
      {
        type: "heatmap", xgap: 2, ygap: 2, y: labels, x: ["tasks"], z: mine.functions.map(([, , tasks]) => [tasks || null]),
        colorscale: [[0, "#e6f1ea"], [1, "#24693f"]], zmin: 0, zmax: Math.max(1, ...mine.functions.map(([, , tasks]) => tasks)), showscale: false, hoverongaps: false, hoverinfo: "text",
        text: mine.functions.map(([called, kind, tasks]) => [plain(`${called} (${kind}): needed by ${many(tasks, "task")}`)]),
      },
      ...(rules.length ? [{
        type: "heatmap", xgap: 2, ygap: 2, y: labels, x: rules, z: counts, xaxis: "x2",
        colorscale: BLUES, zmin: 0, zmax: Math.max(1, ...counts.flat()), showscale: false, hoverongaps: false, hoverinfo: "text",
        text: counts.map((row, place) => row.map((count, column) => count === null ? "" : `${plain(mine.functions[place][0])}<br>${column + 1}. ${folded(mine.rules[column][1])}<br>${count} of ${many(mine.replayed, "task")}`)),
      }] : []),
    ],
    {
      height: 70 + 22 * mine.functions.length,
      margin: { l: narrow ? 150 : 230, r: 8, t: 44, b: 8 },
      xaxis: axis("", { domain: [0, 0.06], side: "top", showgrid: false, tickangle: 0 }),
      xaxis2: axis("rules, numbered as below", { domain: [0.08, 1], side: "top", type: "category", showgrid: false, tickangle: 0, tickfont: { size: narrow ? 8 : 11 } }),
      yaxis: axis("", { autorange: "reversed", showgrid: false, tickfont: { size: narrow ? 9 : 11.5 } }),
    },
    (point) => jump({ domain: name, function: mine.functions[labels.indexOf(point.y)][0], rule: point.x === "tasks" ? "" : mine.rules[Number(point.x) - 1][0] }),
  );
}

const COLOURS = {
  solved: { says: "share of attempts that solved it", of: (points, place) => (points.attempts[place] ? points.solved[place] / points.attempts[place] : null), scale: HARD_TO_EASY, range: [0, 1] },
  calls: { says: "golden calls", of: (points, place) => points.calls[place], scale: BLUES },
  depth: { says: "times made harder", of: (points, place) => points.depth[place], scale: BLUES },
  domain: { says: "domain", named: (points, place) => points.domain[place] },
  split: { says: "split", named: (points, place) => points.split[place] },
};

function drawMap(mine, domain) {
  const { points } = data;
  const single = Boolean(domain) || Object.keys(data.coverage).length < 2;
  const usual = !single ? "domain" : mine.some((place) => points.attempts[place]) ? "solved" : "calls";
  const chosen = Object.hasOwn(COLOURS, params().get("colour")) ? params().get("colour") : usual;
  const colour = COLOURS[chosen];
  find("#colour").value = chosen;
  const here = single ? points.own : points.all;
  const trace = (places, name, marker) => ({
    type: "scatter", mode: "markers", name: plain(words(name)),
    x: places.map((place) => here[place][0]), y: places.map((place) => here[place][1]),
    customdata: places.map((place) => points.id[place]),
    marker: { size: places.length > 1500 ? 5 : 8, opacity: 0.75, line: { width: 0 }, ...marker },
    hoverinfo: "text",
    text: places.map((place) => `${folded(points.says[place])}<br><i>${plain(points.domain[place])}, ${many(points.calls[place], "call")}, solved in ${points.solved[place]} of ${points.attempts[place]}</i>`),
  });
  let traces;
  if (colour.named) {
    const names = [...new Set(mine.map((place) => colour.named(points, place)))].sort();
    traces = names.map((name, number) => trace(mine.filter((place) => colour.named(points, place) === name), name, { color: DOMAINS[number % DOMAINS.length] }));
  } else {
    const values = mine.map((place) => colour.of(points, place));
    traces = [trace(mine, "tasks", { color: values, colorscale: colour.scale, cmin: colour.range ? 0 : undefined, cmax: colour.range ? 1 : undefined, showscale: true, colorbar: { thickness: 10, outlinewidth: 0, title: { text: colour.says, side: "right", font: { color: SOFT } } } })];
  }
  const bare = { showticklabels: false, showgrid: false, zeroline: false, fixedrange: true, title: { text: "" } };
  draw("map", traces, { height: small.matches ? 380 : 520, showlegend: Boolean(colour.named), legend: { orientation: "h", y: -0.02 }, margin: { l: 6, r: 6, t: 6, b: 6 }, xaxis: bare, yaxis: bare, hovermode: "closest" }, (point) => open(point.customdata));
}

function drawComparison() {
  for (const [name, mine] of Object.entries(data.compared.this)) {
    const other = data.compared.other[name];
    const keys = [...new Set([...Object.keys(mine), ...Object.keys(other)])];
    if (name !== "difficulty") keys.sort((one, two) => Number(one) - Number(two));
    const bars = (shares, called, color) => ({ type: "bar", name: called, x: keys, y: keys.map((key) => shares[key] || 0), marker: { color }, hovertemplate: "%{x}: %{y:.1%}<extra></extra>" });
    draw(`compared-${name.replaceAll(" ", "-")}`, [bars(mine, "this dataset", BLUE), bars(other, "the other", "#b9c4d0")], {
      height: 280, barmode: "group", showlegend: true, legend: { orientation: "h", y: 1.15 }, xaxis: axis(name, { type: "category" }), yaxis: axis("share of tasks", { tickformat: ".0%" }),
    });
  }
}
