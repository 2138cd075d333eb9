"""The scripts that run in a page, on the data in the file."""

PLAYHEAD = """
// the dot on the map stands where the path was at the time under the cursor
const t = path.data.t, at = cursor.location;
if (at == null || !isFinite(at) || t.length == 0) return;
let low = 0, high = t.length - 1;
while (high - low > 1) { const mid = (low + high) >> 1; if (t[mid] <= at) low = mid; else high = mid; }
const i = at - t[low] < t[high] - at ? low : high;
dot.data = {x: [path.data.x[i]], y: [path.data.y[i]]};
"""

FOLLOW = """
// a curve of a case is seen where the case and the curve of the run itself are
curves.forEach((curve, i) => { curve.visible = sign.visible && own[i].visible; });
"""

ZOOM = """
// a million points take half a second to draw, their extremes in bins as fine as the screen a few milliseconds;
// near the visible range bins are fine, or every sample is drawn, elsewhere they are rough
const waiting = window.drawbar_waiting ??= new Set();
if (waiting.has(shown.id)) return;
waiting.add(shown.id);
requestAnimationFrame(() => {
    waiting.delete(shown.id);
    const t = full.data.t, n = t.length, out = {t: []};
    for (const c of columns) out[c] = [];
    const seek = x => {
        let low = 0, high = n;
        while (low < high) { const mid = (low + high) >> 1; if (t[mid] < x) low = mid + 1; else high = mid; }
        return low;
    };
    const half = (range.end - range.start) / 2;
    const a = Math.max(0, seek(range.start - half) - 1), b = Math.min(n, seek(range.end + half) + 1);
    for (const [first, last, bins] of [[0, a, rough], [a, b, fine], [b, n, rough]]) {
        const size = Math.max(1, Math.ceil((last - first) / bins));
        for (let i = first; i < last; i += size > 2 ? size : 1) {
            const end = Math.min(last, i + (size > 2 ? size : 1));
            out.t.push(t[i]);
            if (size > 2) out.t.push(t[end - 1]);
            for (const c of columns) {
                const y = full.data[c];
                if (size <= 2) { out[c].push(y[i]); continue; }
                let low = -1, high = -1;
                for (let k = i; k < end; k++) {
                    if (isNaN(y[k])) continue;
                    if (low < 0 || y[k] < y[low]) low = k;
                    if (high < 0 || y[k] > y[high]) high = k;
                }
                out[c].push(low < 0 ? NaN : y[Math.min(low, high)], low < 0 ? NaN : y[Math.max(low, high)]);
            }
        }
    }
    shown.data = out;
});
"""
