// the table of runs: parameters in which the listed runs differ, and responses; rows are chosen as in the list

import {by_id, element, focus_only} from "./dom.js";
import {choose, follow, outcome_tag, time, when} from "./runs.js";
import {fits, read_filter} from "./run_filter.js";

const MAX_COLUMNS = 40; // of parameters
const FIRST_ROWS = 100; // that are listed; more when the reader scrolls to the end
const TYPING = 150; // ms after a key in the filter
const WAITING = "the responses of {n} runs are still being read";

export class RunTable {
    constructor(send, changed) {
        this.send = send;
        this.changed = changed;
        this.runs = [];
        this.facts = {columns: [], rows: {}, waiting: 0};
        this.sort = null; // the name of a column, and whether it falls; null is the newest first
        this.limit = FIRST_ROWS;
        this.drawn = new Map(); // rows by run, with what they show
        this.section = by_id("table-section");
        this.body = by_id("table").tBodies[0];
        this.filter = by_id("run-filter");
        this.filter.addEventListener("input", () => {
            clearTimeout(this.typing);
            this.typing = setTimeout(() => this.choose_rows(), TYPING);
        });
        this.filter.addEventListener("keydown", event => {
            if (event.key === "ArrowDown" || event.key === "Enter") {
                this.choose_rows();
                if (this.body.rows.length) focus_only([...this.body.rows], this.body.rows[0]);
            } else if (event.key === "Escape") {
                this.filter.value = "";
                this.choose_rows();
            } else return;
            event.preventDefault();
        });
        const box = by_id("table-box");
        box.addEventListener("scroll", () => {
            if (this.limit >= this.listed || box.scrollTop + 2 * box.clientHeight < box.scrollHeight) return;
            this.limit += FIRST_ROWS;
            this.draw();
        });
        for (const id of ["show-table", "close-table"]) by_id(id).addEventListener("click", () => this.toggle());
    }

    choices() { return {open: !this.section.hidden, filter: this.filter.value, sort: this.sort}; }

    // lists anew what the filter and the order ask for, from its beginning
    choose_rows() {
        clearTimeout(this.typing);
        this.limit = FIRST_ROWS;
        by_id("table-box").scrollTop = 0;
        this.draw();
        this.changed();
    }

    restore({open, filter, sort}) {
        this.filter.value = String(filter ?? "");
        this.sort = sort && typeof sort.name === "string" ? sort : null;
        if (open) this.show(true);
    }

    toggle() {
        const open = this.section.hidden;
        this.send({action: "table", open});
        this.show(open);
        if (open) {
            by_id("tab-plots").click();
            this.section.scrollIntoView({block: "nearest"});
            this.filter.focus();
        } else by_id("show-table").focus();
        this.changed();
    }

    show(open) {
        this.section.hidden = !open;
        by_id("show-table").setAttribute("aria-expanded", open);
        this.draw();
    }

    set_facts(facts) {
        this.facts = {columns: [], rows: {}, waiting: 0, ...facts};
        this.draw();
    }

    set_runs(runs) {
        const key = list => JSON.stringify(list.map(({style, colour, ...rest}) => rest));
        const same = key(runs) === key(this.runs);
        this.runs = runs;
        if (same) this.mark(); else this.draw();
    }

    // the columns by which rows can be filtered and sorted
    columns() {
        const own = [
            {name: "run", value: run => run.name},
            {name: "outcome", value: run => run.outcome},
            {name: "diagram", value: run => run.diagram, differs: true},
            {name: "simulated", unit: "s", value: run => run.simulated, text: time},
            {name: "date", value: run => run.date, text: run => when(run).short},
        ];
        const read = this.facts.columns.map(([kind, name, quantity, unit], number) => ({
            name: quantity ? `${name} ${quantity}` : name, label: name, quantity, unit, kind,
            differs: kind === "parameter", value: run => this.facts.rows[run.name]?.[number] ?? null,
        }));
        return [...own, ...read];
    }

    draw() {
        if (this.section.hidden) return;
        const focused = this.body.contains(document.activeElement) ? document.activeElement.closest("tr").dataset.run : null;
        const columns = this.columns();
        const {tests, words, faults, used} = read_filter(this.filter.value, columns);
        const found = this.runs.filter(run => fits(run, tests, words, columns));
        this.order(found, columns);
        const differing = columns.filter(column => !column.differs || differs(column, found));
        let parameters = 0;
        const shown = differing.filter(column => column.kind !== "parameter" || parameters++ < MAX_COLUMNS)
            .filter(column => column.kind !== "response" || found.some(run => column.value(run) !== null));
        this.head(shown);
        this.listed = found.length;
        const drawn = new Map(), titles = shown.map(column => column.name).join("\n");
        for (const run of found.slice(0, this.limit)) {
            const key = JSON.stringify([titles, run.outcome, run.fault, ...shown.map(column => column.value(run))]);
            const old = this.drawn.get(run.name);
            drawn.set(run.name, old?.key === key ? old : {key, row: this.row(run, shown)});
        }
        this.drawn = drawn;
        const rows = [...drawn.values()].map(({row}) => row);
        for (const row of rows) row.tabIndex = -1;
        this.body.replaceChildren(...rows);
        const notes = [...faults, ...used];
        if (parameters > MAX_COLUMNS) notes.push(`${parameters - MAX_COLUMNS} more parameters differ; filter the runs to see them`);
        if (!found.length) notes.push("no run fits; press Escape to show all");
        if (this.facts.waiting) notes.push(WAITING.replace("{n}", this.facts.waiting));
        by_id("run-count").textContent = found.length < this.runs.length ? `${found.length} of ${this.runs.length}` : this.runs.length;
        by_id("table-note").textContent = notes.join(" · ");
        this.mark();
        const stop = rows.find(r => r.dataset.run === focused) ?? rows.find(r => r.classList.contains("shown")) ?? rows[0];
        if (stop) stop.tabIndex = 0;
        if (focused !== null && stop) stop.focus({preventScroll: true});
    }

    order(found, columns) {
        const column = this.sort && columns.find(column => column.name === this.sort.name);
        if (!column) return;
        const sign = this.sort.falling ? -1 : 1;
        found.sort((a, b) => {
            const [x, y] = [column.value(a), column.value(b)];
            if (x === null || y === null) return (x === null) - (y === null); // what is missing comes last
            return sign * (typeof x === "number" && typeof y === "number" ? x - y
                : String(x).localeCompare(String(y), "en", {numeric: true}));
        });
    }

    head(shown) {
        const row = by_id("table").tHead.rows[0];
        const focused = row.contains(document.activeElement) ? document.activeElement.dataset.column : null;
        row.replaceChildren(element("th"), ...shown.map(column => {
            const sorted = this.sort?.name === column.name;
            const [, part, last] = (column.label ?? column.name).match(/^(.*\.)?([^.]*)$/);
            const small = column.kind === "response" ? [column.quantity, column.unit].filter(t => t).join(", ") : column.unit;
            const button = element("button", {"data-column": column.name, title: `sort by ${column.name}`},
                                   ...(part ? [element("small", {text: part})] : []), last,
                                   sorted ? this.sort.falling ? " ▼" : " ▲" : "",
                                   ...(small ? [element("small", {text: small})] : []));
            button.addEventListener("click", () => this.sort_by(column.name));
            return element("th", {scope: "col", class: column.kind ?? column.name,
                                  "aria-sort": sorted ? this.sort.falling ? "descending" : "ascending" : null}, button);
        }));
        [...row.querySelectorAll("button")].find(button => button.dataset.column === focused)?.focus({preventScroll: true});
    }

    // rising, falling, the newest first again
    sort_by(name) {
        if (this.sort?.name !== name) this.sort = {name, falling: false};
        else this.sort = this.sort.falling ? null : {name, falling: true};
        this.choose_rows();
    }

    row(run, shown) {
        const box = element("input", {type: "checkbox", tabindex: -1, "aria-label": `draw ${run.name} over the others`,
                                      title: "draw over the other runs"});
        box.disabled = run.fault !== "";
        const made = element("tr", {"data-run": run.name, tabindex: -1}, element("td", {}, box), ...shown.map(column => {
            if (column.name === "run") return element("td", {class: "name", title: run.name, text: run.name});
            if (column.name === "outcome") return element("td", {class: "outcome"}, outcome_tag(run));
            const value = column.value(run);
            const text = value === null ? "" : column.text ? column.text(run) : written(value);
            const missing = column.kind === "parameter" && value === null ? "not set in this run" : null;
            return element("td", {class: typeof value === "number" ? "number" : "text", title: missing ?? String(value ?? ""), text});
        }));
        choose(made, box, run, this.send);
        follow(made, () => this.filter.focus());
        return made;
    }

    // which runs are shown, without a new table
    mark() {
        const styles = new Map(this.runs.map(run => [run.name, run]));
        const several = this.runs.filter(run => run.style !== null).length > 1;
        for (const row of this.body.rows) {
            const run = styles.get(row.dataset.run), shown = run !== undefined && run.style !== null;
            row.classList.toggle("shown", shown);
            row.setAttribute("aria-selected", shown);
            row.querySelector("input").checked = shown;
            row.cells[1].style.borderLeftColor = shown && several ? run.colour : "";
        }
    }
}

// whether the listed runs have two values; a run that does not set a parameter differs from one of its diagram that does
function differs(column, found) {
    const values = new Set(), having = new Set(), lacking = new Set();
    for (const run of found) {
        const value = column.value(run);
        (value === null ? lacking : having).add(run.diagram);
        if (value !== null) values.add(value);
    }
    return values.size > 1 || [...having].some(diagram => lacking.has(diagram));
}

function written(value) {
    return typeof value === "number" ? `${Number(value.toPrecision(5))}` : String(value);
}
