/* How long the steps of a part take, from some of them; part_timing.py is the same in Python.
 * The first steps are all timed, later ones more and more seldom, so that a short run has enough of them and a long one
 * pays less than 1 % for the clock. Each stands for the steps up to the next. The first, whose code is not in the cache
 * of the processor, counts only while it is the only one. */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9*(double) t.tv_nsec;
}

/* before the step with this number, counted from 0 */
static void choose_timing(Timing *timing, int64_t step) {
    timing->on = step == timing->next;
    if (!timing->on) return;
    if (step == 1) timing->covered = 0, timing->seconds = 0.0;
    if (timing->interval < TIMING_INTERVAL && step >= TIMED_AT_FIRST*timing->interval) timing->interval *= 2;
    timing->next = step + timing->interval;
    timing->covered += timing->interval;
}

static double begin_timing(const Timing *timing) { return timing->on ? now() : 0.0; }

static void end_timing(Timing *timing, double began) {
    if (timing->on) timing->seconds += (double) timing->interval*(now() - began);
}
