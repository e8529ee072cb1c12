/* Whose guest this is, as the processor tells: x86's CPUID leaf 0x40000000, which is kept for
 * hypervisors (the kernel's Documentation/virt/kvm/x86/cpuid.rst). Elsewhere there is no such
 * thing.
 */
#ifndef FR_HYPERVISOR_H
#define FR_HYPERVISOR_H

enum { FR_HYPERVISOR_BYTES = 13 };

/* Writes the signature that the hypervisor gives itself, such as "KVMKVMKVM". Returns 0 where there
 * is no hypervisor that tells, or no such instruction. */
int fr_hypervisor_signature(char signature[FR_HYPERVISOR_BYTES]);

#endif
