/* A libFuzzer target: the ELF reader on bytes that are the file. What it reports of a file that it
 * takes is looked at, too, so that no length or text can be wrong unseen. */
#include "inspect/elf.h"

#include <stdlib.h>
#include <string.h>

static volatile size_t looked_at;

static void look(const struct fr_elf *elf)
{
    size_t sum = 0;
    for (size_t i = 0; i < elf->tags; i++)
        sum += elf->tag[i].text ? strlen(elf->tag[i].text) : 1;
    for (size_t i = 0; i < elf->segments; i++)
        sum += (size_t)elf->segment[i].type;
    for (size_t i = 0; i < elf->build_id_bytes; i++)
        sum += elf->build_id[i];
    if (elf->interpreter)
        sum += strlen(elf->interpreter);
    looked_at = sum;
    if (elf->jump_slots > (int64_t)elf->plt_relocations)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct fr_elf elf = {0};
    /* An empty input has an address, too: without one the bytes would be a file's. */
    struct fr_elf_source source = {-1, data ? data : (const unsigned char *)"", bytes};
    int error = fr_elf_read(&elf, &source);
    if (error == 0)
        look(&elf);
    else if (error == FR_ELF_WRONG && elf.problem[0] == '\0')
        abort();
    fr_elf_free(&elf);
    return 0;
}
