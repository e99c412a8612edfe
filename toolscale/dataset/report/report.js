"use strict";
// Whatever a model wrote reaches the page as text nodes, and charts with its markup taken out; see `plain`.

const find = (selector) => document.querySelector(selector);
const small = window.matchMedia("(max-width: 48rem)");

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

async function inflated(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
const unpacked = async (id) => JSON.parse(await inflated(id));

const words = (name) => String(name).replaceAll("_", " ");
const many = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

// What is chosen: of what domain everything is, and which tasks are listed. All of it stands in the address.

const params = () => new URLSearchParams(location.hash.slice(1));

function go(changes) {
  const next = params();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "" || value === null) next.delete(name);
    else next.set(name, value);
  }
  history.replaceState(null, "", "#" + next.toString());
  show();
}

let data = null;
let drawn = null; // the domain, colours and width that the charts were drawn for

async function show() {
  const domain = params().get("domain") || "";
  find("#domain").value = domain;
  const state = `${domain} ${params().get("colour")} ${small.matches}`;
  if (state !== drawn && window.Plotly) {
    drawn = state;
    drawCharts(domain);
  }
  await showTasks();
}

async function start() {
  data = await unpacked("data");
  find("#charts").hidden = false;
  find("#tasks-section").hidden = false;
  const domains = Object.keys(data.coverage);
  find("#domain").append(...domains.map((name) => element("option", { value: name }, words(name))));
  find("#choice").hidden = domains.length < 2;
  find("#domain").addEventListener("change", (event) => go({ domain: event.target.value }));
  find("#colour").addEventListener("change", (event) => go({ colour: event.target.value }));
  startTasks();
  await show();
  document.head.append(element("script", { textContent: await inflated("library") }));
  await show();
  window.addEventListener("hashchange", show);
  small.addEventListener("change", show);
  document.documentElement.dataset.ready = "yes";
}

document.addEventListener("DOMContentLoaded", start);
