#include "host/options.h"

#include <stdio.h>
#include <string.h>

#include "host/exit.h"

int fr_options_is_command(const char *argument)
{
    /* Each is in lua/frlua/commands. */
    static const char *const commands[] = {"verify", "report", "machine"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argument, commands[i]) == 0)
            return 1;
    return strcmp(argument, "-h") == 0 ||
           (argument[0] == '-' && argument[1] == '-' && argument[2] != '\0');
}

static int usage(const char *option)
{
    fprintf(stderr,
            "frlua: unrecognized option '%s'\n"
            "usage: frlua [-e stat] [-l name] [-i] [-v] [-E] [-W] [options] [script [args]]\n"
            "       frlua --help says more\n",
            option);
    return FR_EXIT_USAGE;
}

int fr_options_read(struct fr_options *options, char **argv)
{
    int i = 1;
    for (; argv[i] && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        const char *option = argv[i];
        if (fr_options_is_command(option) || strcmp(option, "--") == 0)
            break;
        if (strchr("el", option[1])) {
            options->executed |= option[1] == 'e';
            if (option[2] == '\0' && (!argv[++i] || argv[i][0] == '-'))
                return usage(option);
            continue;
        }
        if (!strchr("ivEW", option[1]) || option[2] != '\0')
            return usage(option);
        options->interactive |= option[1] == 'i';
        options->version |= option[1] == 'v' || option[1] == 'i';
        options->environment_ignored |= option[1] == 'E';
    }
    options->next = i;
    return 0;
}
