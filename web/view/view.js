// the browser's part of drawbar view: draws the state that Python sends, and sends the reader's requests to Python

import {by_id, element} from "./dom.js";
import {handle_keys} from "./keys.js";
import {Kind} from "./kind.js";
import {fit_legends, follow_cursor} from "./readout.js";
import {RunTable} from "./run_table.js";
import {draw_runs} from "./runs.js";
import {Tree} from "./tree.js";

const {token, tab} = document.body.dataset;
const RETRY = 1000; // ms
let page = null;
let sent = 0;
let state = {runs: [], plotted: {}, plots: []};

const send = request => { if (page) page.request = JSON.stringify({...request, number: ++sent}); };
const tree = new Tree(send);
const kind = new Kind(send);
const table = new RunTable(send, () => store_choices());

const drawers = {
    runs: runs => { state.runs = runs; draw_runs(runs, send); table.set_runs(runs); draw_empty(); store_choices(); },
    table: facts => table.set_facts(facts),
    layout: plots => { state.plots = plots; store_choices(); },
    kind: chosen => { state.kind = chosen; kind.set_state(chosen); store_choices(); },
    signals: signals => { tree.set_signals(signals); kind.set_signals(signals); },
    plotted: plotted => { state.plotted = plotted; tree.set_plotted(plotted); draw_empty(); },
    notes: notes => by_id("notes").replaceChildren(...notes.map(text => element("p", {class: "note", text}))),
    picture: picture => draw_picture(picture),
};

function draw_empty() {
    const empty = by_id("plots-empty");
    empty.hidden = Object.keys(state.plotted).length > 0;
    by_id("clear").hidden = !empty.hidden;
    if (!state.runs.length) empty.textContent = by_id("runs-empty").textContent;
    else if (!state.runs.some(run => run.style !== null)) empty.textContent = "Choose a run on the left to plot its signals.";
    else empty.textContent = "Nothing is plotted. Choose signals on the left: click one, or press / to filter, ↓ to move, Enter to plot.";
}

function draw_picture({run, title, text, error}) {
    const box = by_id("diagram");
    if (error !== undefined) { box.replaceChildren(element("p", {class: "empty", text: error})); return; }
    const address = run ? `/picture.svg?run=${encodeURIComponent(run)}` : "/picture.svg";
    const picture = element("img", {src: address, alt: `diagram ${title}`});
    picture.addEventListener("click", () => picture.classList.toggle("whole"));
    box.replaceChildren(...(text ? [element("p", {text})] : []), picture);
}

function show_tab(name) {
    for (const other of ["plots", "diagram"]) {
        by_id(`tab-${other}`).setAttribute("aria-selected", other === name);
        by_id(other === "plots" ? "plots-tab" : other).hidden = other !== name;
    }
}

function show_error(text) {
    if (!document.querySelector(".lost")) by_id("notes").prepend(element("p", {class: "note lost", text}));
}

// what the reader has chosen outlives a reload of the page in its tab
const STORE = "drawbar view";

function stored_choices() {
    try { return JSON.parse(sessionStorage.getItem(STORE)); } catch { return null; }
}

function store_choices() {
    if (!document.body.dataset.ready) return;
    const runs = state.runs.filter(run => run.style !== null).sort((a, b) => a.style - b.style).map(run => run.name);
    try { sessionStorage.setItem(STORE, JSON.stringify({runs, plots: state.plots, table: table.choices(), kind: {name: state.kind?.name, against: state.kind?.against}})); } catch { /* the page works without */ }
}

// if the server still runs (the machine slept), it has discarded the page, so the page is loaded again
async function reload_when_possible() {
    const answer = await fetch("/view.css", {cache: "no-store"}).catch(() => null);
    if (answer?.ok) location.reload(); else setTimeout(reload_when_possible, 5 * RETRY);
}

async function start() {
    for (const name of ["plots", "diagram"]) by_id(`tab-${name}`).addEventListener("click", () => show_tab(name));
    show_tab(tab === "diagram" ? "diagram" : "plots");
    handle_keys(send, table);
    by_id("clear").addEventListener("click", () => send({action: "clear"}));
    Bokeh.set_log_level("error");
    const address = `ws://${location.host}/view/ws`;
    try {
        await Bokeh.embed.add_document_from_session(address, token, by_id("plots"));
    } catch (error) {
        show_error("The page cannot be opened; reload it, or start drawbar view again.");
        return;
    }
    const open = Bokeh.documents[0];
    open.on_event?.("connection_lost", () => {
        show_error("The connection to drawbar view is lost; the page shows its last state. If drawbar view has ended, start it again.");
        setTimeout(reload_when_possible, RETRY);
    });
    page = open.get_model_by_name("page");
    if (!page) {
        show_error("The page cannot be drawn; start drawbar view with --debug to see why.");
        return;
    }
    for (const [name, draw] of Object.entries(drawers)) {
        const update = () => draw(JSON.parse(page[name]));
        page.properties[name].change.connect(update);
        update();
    }
    const plots = open.get_model_by_name("plots");
    const update = follow_cursor(() => plots.children.filter(figure => figure.tags.length));
    const fit = () => fit_legends(plots.children);
    plots.properties.children.change.connect(() => { update(); requestAnimationFrame(fit); });
    addEventListener("resize", fit);
    fit();
    const kept = stored_choices();
    if (kept) {
        const {runs, plots, kind} = kept;
        send({action: "restore", runs, plots, kind, table: kept.table?.open === true});
        table.restore(kept.table ?? {});
    }
    document.body.dataset.ready = "yes";
}

start();
