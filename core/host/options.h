/* The command line as far as it is lua's: -e, -l, -i, -v, -E, -W, before anything of frlua's own.
 */
#ifndef FR_OPTIONS_H
#define FR_OPTIONS_H

struct fr_options {
    int interactive, version, environment_ignored, executed;
    int next; /* the first argument that is not one of lua's options */
};

/* Looks over lua's own options. Returns 0, or the exit status for a wrong one, which was said. */
int fr_options_read(struct fr_options *options, char **argv);

/* 1 for a long option, -h, or the name of a subcommand: then frlua.cli reads what follows. */
int fr_options_is_command(const char *argument);

#endif
