#include "inspect/hypervisor.h"

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#include <string.h>

int fr_hypervisor_signature(char signature[FR_HYPERVISOR_BYTES])
{
    const unsigned in_guest = 1U << 31, leaf = 0x40000000;
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & in_guest))
        return 0;
    unsigned words[3];
    __cpuid(leaf, eax, words[0], words[1], words[2]);
    memcpy(signature, words, sizeof words);
    signature[sizeof words] = '\0';
    return signature[0] != '\0';
}
#else
int fr_hypervisor_signature(char signature[FR_HYPERVISOR_BYTES])
{
    signature[0] = '\0';
    return 0;
}
#endif
