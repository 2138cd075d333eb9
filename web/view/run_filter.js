// the filter of the table of runs: words that a row must contain, and conditions such as mass>2000

const CONDITION = /^([^<>=!]+)(<=|>=|!=|=|<|>)(.*)$/;

// what the text asks for: words and conditions, what is wrong with it, and what a short name stands for
export function read_filter(text, columns) {
    const read = {tests: [], words: [], faults: [], used: []};
    for (const word of text.replace(/\s*(<=|>=|!=|=|<|>)\s*/g, "$1").split(/\s+/).filter(word => word)) {
        const condition = word.match(CONDITION);
        if (!condition) { read.words.push(word.toLowerCase()); continue; }
        const [, name, sign, value] = condition;
        const meant = columns_of(name, columns);
        if (!meant.length) read.faults.push(`no column “${name}”: the runs do not differ in it`);
        else if (value) read.tests.push({meant, sign, value});
        if (meant.length > 1) read.used.push(`“${name}” is any of ${meant.map(column => column.name).join(", ")}`);
    }
    return read;
}

export function fits(run, tests, words, columns) {
    if (!tests.every(({meant, sign, value}) => meant.some(column => holds(column.value(run), sign, value)))) return false;
    if (!words.length) return true;
    const text = columns.map(column => column.value(run)).filter(value => typeof value === "string").join(" ").toLowerCase();
    return words.every(word => text.includes(word));
}

// columns of exactly this name, else with this last part, else that contain it
function columns_of(name, columns) {
    const plain = text => text.toLowerCase().replace(/[^a-z0-9.]/g, "");
    const wanted = plain(name);
    if (!wanted) return [];
    for (const rule of [column => column === wanted, column => column.split(".").pop() === wanted, column => column.includes(wanted)]) {
        const found = columns.filter(column => rule(plain(column.name)));
        if (found.length) return found;
    }
    return [];
}

function holds(value, sign, text) {
    if (value === null) return false; // unknown here: not set in this run, or not judged
    const number = Number(text), both = typeof value === "number" && Number.isFinite(number);
    const order = both ? Math.sign(value - number) : String(value).toLowerCase().localeCompare(text.toLowerCase(), "en", {numeric: true});
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "=": order === 0, "!=": order !== 0}[sign];
}
