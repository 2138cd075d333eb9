// the keys of the page: one table for the handlers and for the list that ? opens

import {by_id, element} from "./dom.js";

// key, what it does, and the action, if the whole page handles it
const keys = (send, table) => [
    ["?", "show or close this list", toggle],
    ["/", "go to the filter of the signals", () => { by_id("filter").focus(); by_id("filter").select(); }],
    ["t", "show or hide the table of runs: what differs, and responses", () => table.toggle()],
    ["+", "zoom the time axis in", () => send({action: "zoom", by: 0.5})],
    ["-", "zoom the time axis out", () => send({action: "zoom", by: 2})],
    ["0", "show the whole time", () => send({action: "zoom", by: 0})],
    ["ArrowLeft", "move the time axis to the left", () => send({action: "pan", by: -0.25})],
    ["ArrowRight", "move the time axis to the right", () => send({action: "pan", by: 0.25})],
    ["Tab", "go on: tabs, runs, filter, signals, table, columns to sort by"],
    ["ArrowUp", "in runs and signals: one up"],
    ["ArrowDown", "in runs and signals: one down; in a filter: to what is listed"],
    ["Enter", "in runs: show this run alone; in signals: plot it or remove it"],
    ["Space", "in runs: draw this run over the others; in signals: as Enter"],
    ["Shift+Enter", "in signals: a plot of its own"],
    ["Escape", "in a filter: empty it"],
];
const SIGNS = {ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓"};

function toggle() {
    const list = by_id("keys");
    if (list.open) list.close(); else list.showModal();
}

export function handle_keys(send, runs) {
    const table = keys(send, runs);
    by_id("keys").append(element("table", {}, ...table.map(([key, text]) =>
        element("tr", {}, element("td", {}, element("kbd", {text: SIGNS[key] ?? key})), element("td", {text})))));
    by_id("show-keys").addEventListener("click", toggle);
    addEventListener("keydown", event => {
        if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select")) return;
        const action = table.find(([key]) => key === event.key)?.[2];
        // arrows belong to the list that has the focus
        if (!action || (event.key.startsWith("Arrow") && event.target.closest?.("table, ul, nav"))) return;
        action();
        event.preventDefault();
    });
}
