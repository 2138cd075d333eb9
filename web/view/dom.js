// helpers for elements; text from files is always set as text, never as HTML

export const by_id = id => document.getElementById(id);

export function element(tag, {text, title, ...attributes} = {}, ...children) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (title) made.title = title;
    for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

// moves the focus among the items of a list, which is a single stop of the Tab key
export function move_focus(items, from, step) {
    const at = items.indexOf(from);
    const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
    if (next) focus_only(items, next);
}

export function focus_only(items, item) {
    for (const other of items) other.tabIndex = other === item ? 0 : -1;
    item.focus();
    item.scrollIntoView({block: "nearest"});
}
