/* What an FMU for Windows takes from the start-up code and the formatted output of a C library, over ucrtbase.dll alone,
 * which is a part of Windows 10 and later: so no runtime library has to be installed beside it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int _fltused; /* the linker demands it where there are floating-point numbers */

int __stdcall DllMainCRTStartup(void *library, unsigned reason, void *reserved) {
    (void) library, (void) reason, (void) reserved;
    return 1;
}

#define STANDARD 2 /* the option by which the count returned is that of C99 */

int vsnprintf(char *to, size_t size, const char *format, va_list values) {
    return __stdio_common_vsprintf(STANDARD, to, size, format, NULL, values);
}

int vfprintf(FILE *to, const char *format, va_list values) {
    return __stdio_common_vfprintf(0, to, format, NULL, values);
}

#define FORMATTED(call)       \
    va_list values;           \
    va_start(values, format); \
    int count = call;         \
    va_end(values);           \
    return count

int snprintf(char *to, size_t size, const char *format, ...) { FORMATTED(vsnprintf(to, size, format, values)); }
int sprintf(char *to, const char *format, ...) { FORMATTED(vsnprintf(to, (size_t) -1, format, values)); }
int fprintf(FILE *to, const char *format, ...) { FORMATTED(vfprintf(to, format, values)); }
int printf(const char *format, ...) { FORMATTED(vfprintf(stdout, format, values)); }

/* what isnan(), isfinite() and signbit() call */
int __fpclassify(double x) { return __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x); }
int __isnan(double x) { return x != x; }
int __signbit(double x) { return __builtin_signbit(x) != 0; }
