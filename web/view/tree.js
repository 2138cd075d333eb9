// the tree of signals: parts, their signals, and elements of arrays; closed branches are not built

import {by_id, element, focus_only, move_focus} from "./dom.js";

const MAX_ROWS = 400; // of a filtered list; a longer one is cut
const MAX_OPEN = 40; // signals; a longer tree is closed at first

export class Tree {
    constructor(send) {
        this.send = send;
        this.signals = [];
        this.plotted = {};
        this.open = new Map(); // what the reader opened or closed
        this.list = by_id("tree");
        this.filter = by_id("filter");
        this.filter.addEventListener("input", () => this.draw());
        this.filter.addEventListener("keydown", event => {
            if (event.key === "ArrowDown" || event.key === "Enter") {
                const items = this.items();
                const first = items.find(i => i.dataset.signal) ?? items[0];
                if (first) focus_only(items, event.key === "Enter" ? first : items[0]);
            } else if (event.key === "Escape") {
                this.filter.value = "";
                this.draw();
            } else return;
            event.preventDefault();
        });
        this.list.addEventListener("keydown", event => this.on_key(event));
        this.list.addEventListener("click", event => this.on_click(event));
    }

    set_signals(signals) { this.signals = signals; this.draw(); }

    set_plotted(plotted) { this.plotted = plotted; this.mark(); }

    items() { return [...this.list.querySelectorAll("li[role=treeitem]")]; }

    draw() {
        const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.path : null;
        const words = this.filter.value.toLowerCase().split(/\s+/).filter(w => w);
        const fits = ([name, , , text]) => {
            const all = `${name.replaceAll("_", " ")} ${name} ${text}`.toLowerCase();
            return words.every(word => all.includes(word));
        };
        const found = words.length ? this.signals.filter(fits) : this.signals;
        by_id("count").textContent = words.length ? `${found.length} of ${this.signals.length}` : this.signals.length || "";
        this.list.replaceChildren();
        this.add(this.list, branch(found.slice(0, words.length ? MAX_ROWS : Infinity)), "", 1, words.length > 0);
        if (words.length && found.length > MAX_ROWS)
            this.list.append(element("li", {class: "more", text: `${found.length - MAX_ROWS} more; refine the filter`}));
        const empty = by_id("tree-empty");
        empty.hidden = found.length > 0;
        empty.textContent = words.length ? `No signal matches “${this.filter.value.trim()}”. Press Escape to show all.`
            : "No signals yet. Choose a run above; a run that has just started has its first signals in a moment.";
        this.mark();
        const items = this.items();
        const stop = items.find(i => i.dataset.path === focused) ?? items[0];
        if (stop) stop.tabIndex = 0;
        if (focused !== null && stop) stop.focus({preventScroll: true});
    }

    add(list, node, path, level, all_open) {
        for (const [key, child] of node.parts) {
            const here = path ? `${path}.${key}` : key;
            const open = all_open || (this.open.get(here) ?? this.signals.length <= MAX_OPEN);
            const item = this.item(list, here, level, key, "", "part", open);
            if (open) this.add(this.group(item), child, here, level + 1, all_open);
        }
        for (const [label, [name, unit, elements, text]] of node.signals) {
            const open = this.open.get(name) ?? false;
            const item = this.item(list, name, level, label, unit, "signal", elements.length ? open : null,
                                   text ? `${name}: ${text}` : name);
            item.dataset.signal = name;
            item.dataset.columns = JSON.stringify(elements.length ? elements : [name]);
            if (elements.length && open) {
                const group = this.group(item);
                for (const column of elements) {
                    const inner = this.item(group, `${name}/${column}`, level + 1, column.slice(name.length), unit,
                                            "signal", null, column);
                    inner.dataset.signal = column;
                    inner.dataset.columns = JSON.stringify([column]);
                }
            }
        }
    }

    item(list, path, level, label, unit, kind, open, title) {
        const line = element("div", {class: kind, title},
                             element("span", {class: "arrow", text: open === null ? "" : open ? "▼" : "▶"}),
                             ...(kind === "signal" ? [element("span", {class: "dot"})] : []),
                             element("span", {class: "label", text: label}),
                             element("span", {class: "unit", text: unit}));
        const made = element("li", {role: "treeitem", "data-path": path, "aria-level": level, tabindex: -1,
                                    "aria-expanded": open}, line);
        line.style.paddingLeft = `${(level - 1) * 14 + 2}px`;
        list.append(made);
        return made;
    }

    group(item) {
        const made = element("ul", {role: "group"});
        item.append(made);
        return made;
    }

    // the dot of a signal has the colours of its curves
    mark() {
        for (const item of this.items()) {
            if (!item.dataset.signal) continue;
            const colours = JSON.parse(item.dataset.columns).map(column => this.plotted[column]);
            const some = colours.filter(c => c);
            const dot = item.querySelector(".dot");
            dot.style.borderColor = some[0] ?? "";
            dot.style.background = some.length === 0 ? "" : some.length === 1 ? some[0]
                : `conic-gradient(${some.map((c, i) => `${c} ${i / some.length}turn ${(i + 1) / some.length}turn`).join(", ")})`;
            item.setAttribute("aria-selected", some.length > 0 && some.length === colours.length);
        }
    }

    toggle(item, open) {
        this.open.set(item.dataset.path, open);
        this.draw();
    }

    act(item, alone) {
        if (item.dataset.signal) this.send({action: "plot", signal: item.dataset.signal, alone});
        else this.toggle(item, item.ariaExpanded !== "true");
    }

    on_click(event) {
        const item = event.target.closest("li[role=treeitem]");
        if (!item) return;
        focus_only(this.items(), item);
        if (event.target.closest(".arrow") && item.ariaExpanded !== null) this.toggle(item, item.ariaExpanded !== "true");
        else this.act(item, event.shiftKey);
    }

    on_key(event) {
        const item = event.target.closest("li[role=treeitem]");
        if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
        const items = this.items();
        switch (event.key) {
        case "ArrowDown": move_focus(items, item, 1); break;
        case "ArrowUp":
            if (item === items[0]) this.filter.focus(); else move_focus(items, item, -1);
            break;
        case "Home": focus_only(items, items[0]); break;
        case "End": focus_only(items, items[items.length - 1]); break;
        case "ArrowRight":
            if (item.ariaExpanded === "false") this.toggle(item, true); else if (item.ariaExpanded) move_focus(items, item, 1);
            break;
        case "ArrowLeft": {
            const parent = item.parentElement.closest("li[role=treeitem]");
            if (item.ariaExpanded === "true") this.toggle(item, false); else if (parent) focus_only(items, parent);
            break;
        }
        case "Enter": case " ": this.act(item, event.shiftKey); break;
        default: return;
        }
        event.preventDefault();
        event.stopPropagation();
    }
}

// signals by the parts of their names: vehicle.hub.force[1] is force[1] of hub of vehicle
function branch(signals) {
    const top = {parts: new Map(), signals: []};
    for (const signal of signals) {
        const [stem] = signal[0].split("[", 1);
        const names = stem.split(".");
        const last = names.pop() + signal[0].slice(stem.length);
        let node = top;
        for (const name of names) {
            if (!node.parts.has(name)) node.parts.set(name, {parts: new Map(), signals: []});
            node = node.parts.get(name);
        }
        node.signals.push([last, signal]);
    }
    return top;
}
