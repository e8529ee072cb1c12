/* Exit statuses. Where several apply, the first of 130, 4, 3, 1, 5 is given. */
#ifndef FR_EXIT_H
#define FR_EXIT_H

enum {
    FR_EXIT_SCRIPT = 1,       /* the script broke, as with lua */
    FR_EXIT_USAGE = 2,        /* wrong usage */
    FR_EXIT_SAMPLES = 3,      /* samples were lost */
    FR_EXIT_OUTPUT = 4,       /* output could not be written */
    FR_EXIT_CLAIM = 5,        /* a claim failed */
    FR_EXIT_INTERRUPTED = 130 /* Ctrl-C */
};

#endif
