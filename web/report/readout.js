// the readout beside the cursor in every plot over time: the time, and the value of each curve of each run
//
// A curve has the tags [run, signal, whether its value is held between samples, label].

const MAX_LABEL = 14; // characters of a run's name at the head of its column

// names of runs differ at their ends; a run inside another is shown by its own name
function run_label(run) {
    const name = run.split("/").pop();
    return name.length > MAX_LABEL ? `…${name.slice(-MAX_LABEL)}` : name;
}

function cell(tag, text = "", title = "") {
    const made = document.createElement(tag);
    made.textContent = text;
    if (title) made.title = title;
    return made;
}

function dot(colour) {
    const made = document.createElement("i");
    made.style.background = colour;
    return made;
}

const curves = figure => figure.renderers.filter(r => r.tags.length === 4 && r.visible);

// `figures` returns the plots that share the cursor; the result must be called when there are others
export function follow_cursor(figures) {
    const boxes = new Map(), followed = new WeakSet();
    let cursor = null, pointer = null, waiting = false;
    const place = () => {
        const seen = cursor !== null && Number.isFinite(cursor.location) && cursor.visible;
        const shown = seen ? figures() : [];
        for (const [figure, box] of boxes) if (!shown.includes(figure)) { box.remove(); boxes.delete(figure); }
        for (const figure of shown) {
            if (!boxes.has(figure)) {
                boxes.set(figure, document.createElement("div"));
                boxes.get(figure).className = "readout";
                document.body.append(boxes.get(figure));
            }
            draw(figure, boxes.get(figure), cursor.location);
        }
    };
    const later = () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => { waiting = false; place(); });
    };
    // a zoom moves the time axis below a mouse that rests, so the cursor has to be put below the mouse again
    const stay_below_mouse = () => {
        if (cursor !== null && cursor.visible && pointer !== null) {
            const time = figures().map(figure => time_at(figure, pointer)).find(t => t !== null);
            if (time !== undefined) cursor.location = time;
        }
        later();
    };
    const follow = (model, signal, action) => {
        if (followed.has(model)) return;
        followed.add(model);
        signal.connect(action);
    };
    const update = () => {
        for (const figure of figures()) {
            const tool = figure.toolbar.tools.find(t => t.type === "CrosshairTool");
            if (!tool) continue;
            if (tool.overlay !== cursor) {
                cursor = tool.overlay;
                cursor.properties.location.change.connect(later);
                cursor.properties.visible.change.connect(later);
            }
            follow(figure.x_range, figure.x_range.change, stay_below_mouse);
            for (const curve of curves(figure)) follow(curve.data_source, curve.data_source.properties.data.change, later);
        }
        later();
    };
    addEventListener("pointermove", event => { pointer = event; }, {capture: true, passive: true});
    addEventListener("scroll", later, {capture: true, passive: true});
    update();
    return update;
}

// puts as many entries of a legend into a row as the window has room for; the plot below keeps its height
export function fit_legends(figures) {
    for (const figure of figures) {
        const legend = figure.above.find(a => a.type === "Legend");
        if (!legend) continue;
        const longest = Math.max(...legend.items.map(item => (item.label?.value ?? "").length));
        const width = (Bokeh.index.find_one?.(figure)?.el.clientWidth || innerWidth) - 156;
        const columns = Math.max(1, Math.min(legend.items.length, Math.floor(width / (7.5 * longest + 45))));
        const rows = n => Math.ceil(legend.items.length / n);
        if (columns === legend.ncols) continue;
        figure.height += 34 * (rows(columns) - rows(legend.ncols));
        legend.ncols = columns;
    }
}

function frame_of(figure) {
    const view = Bokeh.index.find_one?.(figure);
    if (!view) return null;
    const area = view.el.getBoundingClientRect(), {left, right, top, bottom, width} = view.frame.bbox;
    return {left: area.left + left, right: area.left + right, top: area.top + top, bottom: area.top + bottom, width,
            edge: area.left};
}

function time_at(figure, {clientX, clientY}) {
    const frame = frame_of(figure);
    if (!frame || clientX < frame.left || clientX > frame.right || clientY < frame.top || clientY > frame.bottom) return null;
    const {start, end} = figure.x_range;
    return start + (clientX - frame.left) / frame.width * (end - start);
}

function draw(figure, box, time) {
    const frame = frame_of(figure), lines = curves(figure), {start, end} = figure.x_range;
    if (!frame || !lines.length || time < start || time > end) { box.replaceChildren(); box.hidden = true; return; }
    const runs = [...new Map(lines.map(r => [r.tags[0], r.glyph.line_color.value])).entries()];
    const names = [...new Map(lines.map(r => [r.tags[1], r])).entries()];
    const values = new Map(lines.map(r => [`${r.tags[0]}\n${r.tags[1]}`, value(r, time)]));
    const several = runs.length > 1, table = document.createElement("table"), head = document.createElement("tr");
    head.append(cell("th", `${short(time, 6)} s`));
    for (const [run, colour] of several ? runs : []) {
        const title = cell("th", run_label(run), run);
        title.prepend(dot(colour));
        head.append(title);
    }
    table.append(head);
    for (const [name, curve] of names) {
        const row = document.createElement("tr"), first = cell("td", curve.tags[3], name);
        if (!several) first.prepend(dot(curve.glyph.line_color.value));
        row.append(first);
        for (const [run] of runs) {
            const found = values.get(`${run}\n${name}`);
            row.append(cell("td", found === undefined ? "" : short(found, 5)));
        }
        row.append(cell("td", figure.tags[0]));
        table.append(row);
    }
    box.hidden = false;
    box.replaceChildren(table);
    const x = frame.left + (time - start) / (end - start) * frame.width;
    const fits_right = x + 12 + box.offsetWidth < frame.right;
    const covered = document.querySelector("body > header")?.offsetHeight ?? 0;
    box.hidden = frame.top + 4 < covered || frame.top + 4 > innerHeight - 40;
    box.style.left = `${fits_right ? x + 12 : Math.max(frame.edge, x - 12 - box.offsetWidth)}px`;
    box.style.top = `${frame.top + 4}px`;
}

// the value of the curve as it is drawn: held since the last sample, or on the line between two samples
function value(renderer, time) {
    const {data} = renderer.data_source, t = data.t, y = data[renderer.glyph.y.field];
    if (!y || !t.length || time < t[0] || time > t[t.length - 1]) return undefined;
    let low = 0, high = t.length;
    while (high - low > 1) { const mid = (low + high) >> 1; if (t[mid] <= time) low = mid; else high = mid; }
    if (renderer.tags[2] || low === t.length - 1 || t[low] === time) return y[low];
    return y[low] + (time - t[low]) / (t[low + 1] - t[low]) * (y[low + 1] - y[low]);
}

function short(number, digits) {
    return Number.isFinite(number) ? String(Number(number.toPrecision(digits))) : String(number);
}
