// what the plots show: over time, differences of runs, spectra, or over another signal; and the table of differences

import {by_id, element} from "./dom.js";

const MAX_NAMES = 2000; // that are offered for the signal over which others are drawn

export class Kind {
    constructor(send) {
        this.send = send;
        this.select = by_id("kind");
        this.against = by_id("against");
        this.select.addEventListener("change", () => {
            this.show(this.select.value);
            this.choose();
            if (this.select.value === "against") this.against.focus();
        });
        this.against.addEventListener("change", () => this.choose());
    }

    choose() { this.send({action: "kind", name: this.select.value, against: this.against.value.trim()}); }

    show(name) { by_id("against-label").hidden = name !== "against"; }

    set_signals(signals) {
        const names = signals.flatMap(([name, , elements]) => elements.length ? elements : [name]);
        by_id("scalars").replaceChildren(...names.slice(0, MAX_NAMES).map(value => element("option", {value})));
    }

    set_state({name, against, text, rows}) {
        if (name === undefined) return;
        this.select.value = name;
        if (document.activeElement !== this.against) this.against.value = against;
        this.show(name);
        by_id("kind-text").textContent = text;
        const table = by_id("differences");
        table.hidden = rows.length === 0;
        const several = new Set(rows.map(row => row[0])).size > 1;
        const cells = (tag, row) => row.slice(several ? 0 : 1).map(text => element(tag, {text}));
        table.replaceChildren(...[["runs", "signal", "largest difference", "at", "root mean square"], ...rows].map((row, number) =>
            element("tr", {}, ...cells(number ? "td" : "th", row))));
    }
}
