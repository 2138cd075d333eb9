// the readout beside the cursor in every plot: the time, and the value of each curve of each run

import {element} from "./dom.js";

const MAX_LABEL = 14; // characters of a run's name at the head of its column

// names of runs differ at their ends; a run inside another is shown by its own name
function label(run) {
    const name = run.split("/").pop();
    return name.length > MAX_LABEL ? `…${name.slice(-MAX_LABEL)}` : name;
}

export function follow_cursor(open) {
    const column = open.get_model_by_name("plots");
    const boxes = new Map();
    let cursor = null;
    const place = () => {
        const seen = cursor !== null && Number.isFinite(cursor.location) && cursor.visible;
        const figures = seen ? column.children : [];
        for (const [figure, box] of boxes) if (!figures.includes(figure)) { box.remove(); boxes.delete(figure); }
        for (const figure of figures) {
            if (!boxes.has(figure)) {
                boxes.set(figure, element("div", {class: "readout"}));
                document.body.append(boxes.get(figure));
            }
            draw(figure, boxes.get(figure), cursor.location);
        }
    };
    // all plots share one cursor, which exists once the first plot does
    const find = () => {
        const tool = column.children.flatMap(figure => figure.toolbar.tools).find(t => t.type === "CrosshairTool");
        if (!tool || tool.overlay === cursor) return;
        cursor = tool.overlay;
        let waiting = false;
        const later = () => {
            if (waiting) return;
            waiting = true;
            requestAnimationFrame(() => { waiting = false; place(); });
        };
        cursor.properties.location.change.connect(later);
        cursor.properties.visible.change.connect(later);
    };
    column.properties.children.change.connect(() => { find(); place(); });
    find();
}

function draw(figure, box, time) {
    const view = Bokeh.index.find_one?.(figure);
    const lines = figure.renderers.filter(r => r.tags.length === 3 && r.visible);
    if (!view || !lines.length) { box.replaceChildren(); box.hidden = true; return; }
    const runs = [...new Set(lines.map(r => r.tags[0]))];
    const names = [...new Map(lines.map(r => [r.tags[1], r.glyph.line_color.value])).entries()];
    const values = new Map(lines.map(r => [`${r.tags[0]}\n${r.tags[1]}`, value(r, time)]));
    const head = element("tr", {}, element("th", {text: `${short(time, 6)} s`}),
                         ...(runs.length > 1 ? runs.map(run => element("th", {text: label(run), title: run})) : []));
    const rows = names.map(([name, colour]) => {
        const dot = element("i");
        dot.style.background = colour;
        const cells = runs.map(run => values.get(`${run}\n${name}`)).map(v =>
            element("td", {text: v === undefined ? "" : short(v, 5)}));
        return element("tr", {}, element("td", {}, dot, name.split(".").pop()), ...cells,
                       element("td", {text: figure.tags[0]}));
    });
    box.hidden = false;
    box.replaceChildren(element("table", {}, head, ...rows));
    const area = view.el.getBoundingClientRect(), frame = view.frame.bbox;
    const {start, end} = figure.x_range;
    const x = area.left + frame.left + (time - start) / (end - start) * frame.width;
    const right = x + 12 + box.offsetWidth < area.left + frame.right;
    const top = area.top + frame.top + 4;
    box.hidden = top < 44 || top > innerHeight - 40;
    box.style.left = `${right ? x + 12 : Math.max(area.left, x - 12 - box.offsetWidth)}px`;
    box.style.top = `${top}px`;
}

// integers and Booleans hold their value until the next sample; others show the nearest drawn sample
function value(renderer, time) {
    const {data} = renderer.data_source, t = data.t, y = data[renderer.glyph.y.field];
    if (!y || !t.length || time < t[0] || time > t[t.length - 1]) return undefined;
    let low = 0, high = t.length;
    while (high - low > 1) { const mid = (low + high) >> 1; if (t[mid] <= time) low = mid; else high = mid; }
    const next = Math.min(low + 1, t.length - 1);
    return renderer.tags[2] || time - t[low] <= t[next] - time ? y[low] : y[next];
}

function short(number, digits) {
    return Number.isFinite(number) ? String(Number(number.toPrecision(digits))) : String(number);
}
