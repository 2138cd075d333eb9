/* Four numbers at once: vectors of gcc and clang, which split them where the processor is narrower, else plain C.
 * Every operation rounds in each lane as it does alone. Arguments are names or numbers, as macros may repeat them. */
#ifndef DRAWBAR_LANES_H
#define DRAWBAR_LANES_H

#include <math.h>

/* Vectorized kernels are compiled twice: for any processor of the kind, and for those of it with AVX, whose vectors
 * hold all four. (GCC for Windows does not align the stack for these.) */
#if defined(__GNUC__) && !defined(DRAWBAR_PLAIN_LANES)
#define LANES_VECTORS
#endif
#if defined(LANES_VECTORS) && defined(__x86_64__) && !defined(__AVX__) && !defined(DRAWBAR_NO_AVX) && \
    (!defined(_WIN32) || defined(__clang__))
#define LANES_AVX
#include <cpuid.h>

/* whether this processor has AVX and the system keeps its registers */
static int lanes_avx(void) {
    static int known = -1; /* asking takes long in a virtual machine */
    if (known < 0) {
        unsigned a, b, c, d, kept = 0, high;
        int has = __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 27)) && (c & (1u << 28));
        if (has) __asm__ volatile("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
        known = (kept & 6) == 6;
    }
    return known;
}
#define LANES_CALL(name) (lanes_avx() ? name##_avx : name##_any)
#else
#define LANES_CALL(name) name##_any
#endif

/* of equal numbers the second, of NaN and a number the number, as the C library for this kind of machine */
#define scalar_fmax(a, b) ((a) > (b) || (b) != (b) ? (a) : (b))
#define scalar_fmin(a, b) ((a) < (b) || (b) != (b) ? (a) : (b))
#define scalar_sign(a) ((a) < 0 ? -1.0 : (a) > 0 ? 1.0 : (a))
#define LANE_EACH_1(f, a) lane_of(f(lane_get(a, 0)), f(lane_get(a, 1)), f(lane_get(a, 2)), f(lane_get(a, 3)))
#define LANE_EACH_2(f, a, b) lane_of(f(lane_get(a, 0), lane_get(b, 0)), f(lane_get(a, 1), lane_get(b, 1)), \
                                     f(lane_get(a, 2), lane_get(b, 2)), f(lane_get(a, 3), lane_get(b, 3)))

#ifdef LANES_VECTORS

typedef double lane __attribute__((vector_size(32)));
typedef double lane_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long lane_bits __attribute__((vector_size(32)));

/* no functions: how a vector is passed to one depends on the processor */
#define lane_of(a, b, c, d) ((lane){(a), (b), (c), (d)})
#define lane_get(a, k) ((a)[k])
#define lane_load(from) ((lane) *(const lane_anywhere *) (from))
#define lane_store(to, a) (*(lane_anywhere *) (to) = (a))
#define LANE_BITS(a, sign, b) ((lane) ((lane_bits) (a) sign (lane_bits) (b)))
#define LANE_TRUTH(test) ((lane) ((lane_bits) (test) & (lane_bits) lane_of(1.0, 1.0, 1.0, 1.0)))
/* with minus zero in the lanes to be negated, else zero */
#define lane_flip(a, signs) LANE_BITS(a, ^, signs)
#define lane_neg(a) (-(a))
#define lane_add(a, b) ((a) + (b))
#define lane_sub(a, b) ((a) - (b))
#define lane_mul(a, b) ((a) * (b))
#define lane_div(a, b) ((a) / (b))
#define lane_lt(a, b) LANE_TRUTH((a) < (b))
#define lane_le(a, b) LANE_TRUTH((a) <= (b))
#define lane_eq(a, b) LANE_TRUTH((a) == (b))
#define lane_ne(a, b) LANE_TRUTH((a) != (b))
#define LANE_NO ((lane){0.0, 0.0, 0.0, 0.0})
#define lane_not(a) LANE_TRUTH((a) == LANE_NO)
#define lane_and(a, b) LANE_TRUTH(((a) != LANE_NO) & ((b) != LANE_NO))
#define lane_or(a, b) LANE_TRUTH(((a) != LANE_NO) | ((b) != LANE_NO))
#define lane_if(a, b) LANE_BITS((a) != LANE_NO, &, b)
#define LANE_CHOICE(test, a, b) ((lane) (((lane_bits) (test) & (lane_bits) (a)) | (~(lane_bits) (test) & (lane_bits) (b))))
#define lane_fmax(a, b) LANE_CHOICE(((a) > (b)) | ((b) != (b)), a, b)
#define lane_fmin(a, b) LANE_CHOICE(((a) < (b)) | ((b) != (b)), a, b)
#define lane_fabs(a) ((lane) ((lane_bits) (a) & ~(lane_bits) lane_of(-0.0, -0.0, -0.0, -0.0)))

#else

typedef struct { double at[4]; } lane;

static lane lane_of(double a, double b, double c, double d) {
    lane found = {{a, b, c, d}};
    return found;
}
#define lane_get(a, k) ((a).at[k])
#define lane_load(from) lane_of((from)[0], (from)[1], (from)[2], (from)[3])
#define lane_store(to, a) ((to)[0] = (a).at[0], (to)[1] = (a).at[1], (to)[2] = (a).at[2], (to)[3] = (a).at[3])
#define SCALAR_NEG(a) (-(a))
#define SCALAR_ADD(a, b) ((a) + (b))
#define SCALAR_SUB(a, b) ((a) - (b))
#define SCALAR_MUL(a, b) ((a) * (b))
#define SCALAR_DIV(a, b) ((a) / (b))
#define SCALAR_LT(a, b) ((a) < (b))
#define SCALAR_LE(a, b) ((a) <= (b))
#define SCALAR_EQ(a, b) ((a) == (b))
#define SCALAR_NE(a, b) ((a) != (b))
#define SCALAR_NOT(a) (!(a))
#define SCALAR_AND(a, b) ((a) && (b))
#define SCALAR_OR(a, b) ((a) || (b))
#define SCALAR_IF(a, b) ((a) != 0 ? (b) : 0.0)
#define SCALAR_FLIP(a, sign) (copysign(1.0, sign) < 0 ? -(a) : (a))
#define lane_flip(a, signs) LANE_EACH_2(SCALAR_FLIP, a, signs)
#define lane_neg(a) LANE_EACH_1(SCALAR_NEG, a)
#define lane_add(a, b) LANE_EACH_2(SCALAR_ADD, a, b)
#define lane_sub(a, b) LANE_EACH_2(SCALAR_SUB, a, b)
#define lane_mul(a, b) LANE_EACH_2(SCALAR_MUL, a, b)
#define lane_div(a, b) LANE_EACH_2(SCALAR_DIV, a, b)
#define lane_lt(a, b) LANE_EACH_2(SCALAR_LT, a, b)
#define lane_le(a, b) LANE_EACH_2(SCALAR_LE, a, b)
#define lane_eq(a, b) LANE_EACH_2(SCALAR_EQ, a, b)
#define lane_ne(a, b) LANE_EACH_2(SCALAR_NE, a, b)
#define lane_not(a) LANE_EACH_1(SCALAR_NOT, a)
#define lane_and(a, b) LANE_EACH_2(SCALAR_AND, a, b)
#define lane_or(a, b) LANE_EACH_2(SCALAR_OR, a, b)
#define lane_if(a, b) LANE_EACH_2(SCALAR_IF, a, b)
#define lane_fmax(a, b) LANE_EACH_2(scalar_fmax, a, b)
#define lane_fmin(a, b) LANE_EACH_2(scalar_fmin, a, b)
#define lane_fabs(a) LANE_EACH_1(fabs, a)

#endif

#define lane_all(a) lane_of(a, a, a, a)
#define lane_sign(a) LANE_EACH_1(scalar_sign, a)
#define lane_sqrt(a) LANE_EACH_1(sqrt, a)

#endif
