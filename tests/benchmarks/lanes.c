/* Four numbers at once, one of each wheel; plain C of gcc and clang, which splits them where the processor is narrower. */
#include <math.h>

typedef double lane __attribute__((vector_size(32), may_alias));

/* macros, for how a vector is passed to a function depends on the processor */
#define lane_sqrt(x) ((lane){sqrt((x)[0]), sqrt((x)[1]), sqrt((x)[2]), sqrt((x)[3])})
#define lane_max(a, b) ((lane){fmax((a)[0], (b)[0]), fmax((a)[1], (b)[1]), fmax((a)[2], (b)[2]), fmax((a)[3], (b)[3])})
#define lane_load(from, k) (*(const lane *)((from) + 4 * (k)))
#define lane_store(to, k, v) (*(lane *)((to) + 4 * (k)) = (v))
