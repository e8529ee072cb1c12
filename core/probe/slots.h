/* How many of this object's calls are bound: the evidence of what "lazy" was in this very process.
 *
 * A call through the procedure linkage table goes to the address in a slot, one for each function
 * (relocation JUMP_SLOT). While it is not bound, the slot leads back into the object, to the code
 * that calls the dynamic loader; when it is, out of it, to the function. Makes no call.
 */
#ifndef FR_PROBE_SLOTS_H
#define FR_PROBE_SLOTS_H

struct fr_slots {
    long all; /* -1: unknown on this architecture; 0: no call goes that way, as in a static program
               */
    long bound; /* of them */
};

__attribute__((visibility("hidden"))) struct fr_slots fr_slots_count(void);

#endif
