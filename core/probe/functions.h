/* A library of 512 functions that do nothing but return their number, and the one list of them. */
#ifndef FR_PROBE_FUNCTIONS_H
#define FR_PROBE_FUNCTIONS_H

/* Lines of a list, which the formatter takes for statements. */
/* clang-format off */
#define FR_PROBE_16(X, n)                                                                          \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)                                \
    X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define FR_PROBE_256(X, n)                                                                         \
    FR_PROBE_16(X, n##0) FR_PROBE_16(X, n##1) FR_PROBE_16(X, n##2) FR_PROBE_16(X, n##3)            \
    FR_PROBE_16(X, n##4) FR_PROBE_16(X, n##5) FR_PROBE_16(X, n##6) FR_PROBE_16(X, n##7)            \
    FR_PROBE_16(X, n##8) FR_PROBE_16(X, n##9) FR_PROBE_16(X, n##a) FR_PROBE_16(X, n##b)            \
    FR_PROBE_16(X, n##c) FR_PROBE_16(X, n##d) FR_PROBE_16(X, n##e) FR_PROBE_16(X, n##f)

/* X(0x000) to X(0x1ff). */
#define FR_PROBE_EACH(X) FR_PROBE_256(X, 0x0) FR_PROBE_256(X, 0x1)
/* clang-format on */

enum { FR_PROBE_FUNCTIONS = 512 };

#define FR_PROBE_DECLARE(n) __attribute__((visibility("default"))) long fr_probe_##n(void);
FR_PROBE_EACH(FR_PROBE_DECLARE)

#endif
