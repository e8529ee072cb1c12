/* Where frlua's parts are, found from its own executable: <root>/bin/frlua,
 * <root>/bin/frlua-worker, <root>/share/frlua/lua, <root>/lib/frlua. A symlink to the executable is
 * followed. */
#ifndef FR_PATHS_H
#define FR_PATHS_H

/* The root, once found; "" when it cannot be found. */
const char *fr_paths_root(void);

#endif
