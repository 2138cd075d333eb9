// the table of runs: a click or Enter shows one run; its check box or Space draws it over the others

import {by_id, element, focus_only, move_focus} from "./dom.js";

const day = new Intl.DateTimeFormat("sv-SE", {dateStyle: "short"});
const minute = new Intl.DateTimeFormat("sv-SE", {timeStyle: "short"});

export function draw_runs(runs, send) {
    const body = by_id("runs").tBodies[0];
    const focused = body.contains(document.activeElement) ? document.activeElement.closest("tr").dataset.run : null;
    const on_box = document.activeElement?.matches("#runs input");
    by_id("runs-empty").hidden = runs.length > 0;
    by_id("runs").hidden = runs.length === 0;
    const several = runs.filter(run => run.style !== null).length > 1;
    body.replaceChildren(...runs.map(run => row(run, several, send)));
    const rows = [...body.rows];
    const stop = rows.find(r => r.dataset.run === focused) ?? rows.find(r => r.classList.contains("shown")) ?? rows[0];
    if (stop) stop.tabIndex = 0;
    if (focused !== null && stop) (on_box ? stop.querySelector("input") : stop).focus({preventScroll: true});
}

function row(run, several, send) {
    const shown = run.style !== null;
    const inner = run.name.includes("/");
    const box = element("input", {type: "checkbox", tabindex: -1, "aria-label": `draw ${run.name} over the others`,
                                  title: "draw over the other runs"});
    box.checked = shown;
    box.disabled = run.fault !== "";
    const name = element("td", {class: "name", title: run.name});
    name.append(inner ? run.name.split("/").slice(1).join(" ") : run.name);
    if (shown && several) {
        const line = element("span", {class: "line"});
        line.style.borderTopColor = run.colour;
        name.append(line);
    }
    name.append(element("small", {}, outcome_tag(run), inner || !run.diagram ? "" : ` ${run.diagram}`));
    const {short, whole} = when(run);
    const date = element("td", {text: short, title: whole});
    const made = element("tr", {"data-run": run.name, tabindex: -1, class: `${shown ? "shown" : ""} ${inner ? "inner" : ""}`,
                                "aria-selected": shown}, element("td", {}, box), name,
                         element("td", {text: time(run)}), date);
    choose(made, box, run, send);
    follow(made);
    return made;
}

// a click or Enter shows the run of a row alone, its box or Space draws it over the others
export function choose(row, box, run, send) {
    const only = () => send({action: "show", run: run.name, alone: true});
    const over = () => send({action: "show", run: run.name, alone: false});
    box.addEventListener("click", event => { event.preventDefault(); event.stopPropagation(); over(); });
    row.addEventListener("click", event => { if (!event.target.closest("input")) only(); });
    row.addEventListener("keydown", event => {
        if (event.key === "Enter") only(); else if (event.key === " ") over(); else return;
        event.preventDefault();
    });
}

// the keys that move the focus among the rows, and above the first one
export function follow(row, above = null) {
    row.addEventListener("keydown", event => {
        const rows = [...row.parentElement.rows];
        if (event.key === "ArrowDown") move_focus(rows, row, 1);
        else if (event.key === "ArrowUp" && above && row === rows[0]) above();
        else if (event.key === "ArrowUp") move_focus(rows, row, -1);
        else if (event.key === "Home") focus_only(rows, rows[0]);
        else if (event.key === "End") focus_only(rows, rows[rows.length - 1]);
        else return;
        event.preventDefault();
    });
}

export function outcome_tag(run) {
    const known = ["ok", "running"].includes(run.outcome) ? run.outcome : "";
    return element("span", {text: run.outcome, class: `tag ${known}`, title: outcome_title(run)});
}

export function when(run) {
    const date = new Date(run.date * 1000), on = day.format(date), at = minute.format(date);
    return {short: on === day.format(new Date()) ? `today ${at}` : on, whole: `${on} ${at}`};
}

export function time(run) {
    if (run.simulated === null) return "";
    const done = `${Number(run.simulated.toPrecision(4))}`;
    return run.stop !== null && run.stop !== run.simulated ? `${done} of ${Number(run.stop.toPrecision(4))} s` : `${done} s`;
}

function outcome_title(run) {
    if (run.fault) return run.fault;
    if (run.outcome === "incomplete") return "nothing was written for a minute: the run was killed, or is very slow";
    return run.outcome === "running" ? "the plots follow the run" : "";
}
