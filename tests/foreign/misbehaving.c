/* A first-order lag that misbehaves from the time `at` on, in the way that `fault` says.
 * T y' = u - y, exactly over each step for a held input; `steps` counts the steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

/* through these the compiler cannot see what will happen */
static volatile int *volatile nowhere;
static volatile int for_ever = 1, deep = 1;

static void crash(void) { *nowhere = 1; }

static void hang(void) {
    while (for_ever) { }
}

static int overflow_the_stack(int depth) {
    volatile char page[4096];
    page[depth & 4095] = (char) depth;
    return deep ? overflow_the_stack(depth + 1) + page[depth & 4095] : 0;
}

static void flood_the_logger(const Instance *instance) {
    static char text[10001];
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 200 && instance->logger; i++)
        instance->logger(instance->environment, instance->name, fmi2OK, "logAll", "%s", text);
}

static void say_much(const Instance *instance, double t) {
    for (int i = 0; i < 300; i++) log_message(instance, fmi2OK, "logAll", "iteration %d at t = %g s", i, t);
    log_message(instance, fmi2Error, "logStatusError", "the Jacobian is singular at t = %g s", t);
    log_message(instance, fmi2Error, "logStatusError", "the step failed");
}

static void flood_stdout(const Instance *instance) {
    for (int i = 0; i < 1000; i++) printf("%s: line %d of the %s\n", instance->name, i, "many that nobody asked for");
    fflush(stdout);
}

static void damage_the_heap(void) {
    /* too large for glibc's quick lists, whose blocks are freed without a look at their neighbours */
    volatile char *block = malloc(5000);
    for (int i = 0; i < 5200; i++) block[i] = (char) 0xff;
    free((void *) block);
}

static int due(const Instance *instance, double t, int fault) {
    return (int) instance->v[V_fault] == fault && t >= instance->v[V_at] - 1e-9;
}

fmi2Status on_call(Instance *instance, Call call, const fmi2ValueReference *references, size_t n) {
    (void) references, (void) n;
    int fault = (int) instance->v[V_fault];
    if (call == ENTER && fault == HANG_IN_ENTER_INITIALIZATION) hang();
    if (call == EXIT && fault == CRASH_IN_EXIT_INITIALIZATION) crash();
    if (call == TERMINATE && fault == CRASH_IN_TERMINATE) crash();
    if (call == FREE && fault == HANG_IN_FREE) hang();
    if (call == FREE && fault == DISCARD_AND_CRASH_IN_FREE) crash();
    if (call == STATUS && fault == CRASH_IN_STATUS) crash();
    if (call == STATUS && fault == HANG_IN_STATUS) hang();
    if (instance->mode != STEPPING) return fmi2OK;
    if (call == GET && due(instance, instance->time, CRASH_IN_GET)) crash();
    if (call == SET && due(instance, instance->time, ERROR_IN_SET)) {
        log_message(instance, fmi2Error, "logStatusError", "it takes nothing any more");
        return fmi2Error;
    }
    return fmi2OK;
}

static void advance(Instance *instance, double h) {
    instance->v[V_y] = lag(instance->v[V_y], instance->v[V_u], 0.0, instance->v[V_T], h);
}

fmi2Status step(Instance *instance, double t, double h) {
    int fault = t >= instance->v[V_at] - 1e-9 ? (int) instance->v[V_fault] : NONE;
    switch (fault) {
    case CRASH: crash(); break;
    case EXIT_PROCESS: exit(3);
    case HANG: hang(); break;
    case ABORT: abort();
    case STACK_OVERFLOW: overflow_the_stack(0); break;
    case HEAP_DAMAGE: damage_the_heap(); break;
    case ERROR:
        log_message(instance, fmi2Error, "logStatusError", "the lag broke at t = %g s", t);
        return fmi2Error;
    case FATAL: return fmi2Fatal;
    case PENDING: return fmi2Pending;
    case DISCARD: case CRASH_IN_STATUS: case HANG_IN_STATUS: case DISCARD_AND_CRASH_IN_FREE:
        /* half of the step is as far as it gets, and fmi2LastSuccessfulTime says so */
        advance(instance, h/2);
        instance->time = t + h/2;
        return fmi2Discard;
    case ERROR_AFTER_MANY_MESSAGES: say_much(instance, t); return fmi2Error;
    case CRASH_AFTER_MESSAGES:
        for (int i = 1; i < 13; i++) log_message(instance, fmi2OK, "logAll", "message %d before the crash", i);
        crash();
        break;
    case WARNING_WITH_STATUS_OK:
        log_message(instance, fmi2Warning, "logStatusWarning", "the lag is slow at t = %g s", t);
        break;
    case LOGGER_FLOOD: flood_the_logger(instance); break;
    case STDOUT_FLOOD: flood_stdout(instance); break;
    default: break;
    }
    advance(instance, h);
    instance->v[V_steps] += 1.0;
    if (fault == NOT_A_NUMBER) instance->v[V_y] = NAN;
    if (fault == INFINITE) instance->v[V_y] = INFINITY;
    return fault == WARNING ? fmi2Warning : fmi2OK;
}

double value(const Instance *instance, fmi2ValueReference reference) { return instance->v[reference]; }

double partial(const Instance *instance, fmi2ValueReference output, fmi2ValueReference input) {
    (void) instance, (void) output, (void) input;
    return 0.0;
}
