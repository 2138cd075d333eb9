// the table of runs: a click or Enter shows one run; its check box or Space draws it over the others

import {by_id, element, move_focus} from "./dom.js";

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
    const tag = element("span", {text: run.outcome, class: `tag ${["ok", "running"].includes(run.outcome) ? run.outcome : ""}`,
                                 title: outcome_title(run)});
    const name = element("td", {class: "name", title: run.name});
    name.append(inner ? run.name.split("/").slice(1).join(" ") : run.name);
    if (shown && several) {
        const line = element("span", {class: "line"});
        line.style.borderTopColor = run.colour;
        name.append(line);
    }
    name.append(element("small", {}, tag, inner || !run.diagram ? "" : ` ${run.diagram}`));
    const when = new Date(run.date * 1000), on = day.format(when), at = minute.format(when);
    const date = element("td", {text: on === day.format(new Date()) ? `today ${at}` : on, title: `${on} ${at}`});
    const made = element("tr", {"data-run": run.name, tabindex: -1, class: `${shown ? "shown" : ""} ${inner ? "inner" : ""}`,
                                "aria-selected": shown}, element("td", {}, box), name,
                         element("td", {text: time(run)}), date);
    const only = () => send({action: "show", run: run.name, alone: true});
    const over = () => send({action: "show", run: run.name, alone: false});
    box.addEventListener("click", event => { event.preventDefault(); event.stopPropagation(); over(); });
    made.addEventListener("click", event => { if (!event.target.closest("input")) only(); });
    made.addEventListener("keydown", event => {
        const rows = [...made.parentElement.rows];
        if (event.key === "ArrowDown") move_focus(rows, made, 1);
        else if (event.key === "ArrowUp") move_focus(rows, made, -1);
        else if (event.key === "Enter") only();
        else if (event.key === " ") over();
        else return;
        event.preventDefault();
    });
    return made;
}

function time(run) {
    if (run.simulated === null) return "";
    const done = `${Number(run.simulated.toPrecision(4))}`;
    return run.stop !== null && run.stop !== run.simulated ? `${done} of ${Number(run.stop.toPrecision(4))} s` : `${done} s`;
}

function outcome_title(run) {
    if (run.fault) return run.fault;
    if (run.outcome === "incomplete") return "nothing was written for a minute: the run was killed, or is very slow";
    return run.outcome === "running" ? "the plots follow the run" : "";
}
