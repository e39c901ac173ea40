/* SPDX-License-Identifier: MIT */
/* Why a virtual CPU left its guest. */
#ifndef MDL_EXIT_H
#define MDL_EXIT_H

#include <stdbool.h>
#include <stdint.h>

/* The reason as one number, never 0. REASON: field exit_reason of kvm_exit on x86, ret on ARM. ISA: field
 * isa, 1 Intel (VMX), 2 AMD (SVM). EXCEPTION: field esr_ec of ARM. MDL_ARG_ABSENT for each field that the
 * trace does not have. */
uint32_t mdl_exit_make(int64_t reason, int64_t isa, int64_t exception);
/* The work of the host while the virtual CPU runs in the view of its guest, if no exit shows the reason. */
enum mdl_exit_other {
	MDL_EXIT_INTERRUPTED,
	MDL_EXIT_HALTED,
	MDL_EXIT_ASLEEP,
	MDL_EXIT_TSC_SET /* in its own row: from kvm_write_tsc_offset on */
};
uint32_t mdl_exit_other(enum mdl_exit_other other);
/* True if the guest waits for an interrupt after EXIT. */
bool mdl_exit_halts(uint32_t exit);
/* True if EXIT is one of VMX (Intel). */
bool mdl_exit_is_vmx(uint32_t exit);
/* The name of EXIT in KVM: "HLT", "EPT_VIOLATION", "npf"; "exit N" if wakepath has no name for the number.
 * MDL_EXIT_* have names of our own. The caller frees. */
char *mdl_exit_name(uint32_t exit);
/* Find the reason that KVM, or libtraceevent ("EXIT_HLT"), prints as NAME. Sets the arguments of
 * mdl_exit_make(), or leaves both unchanged if the name is unknown. */
void mdl_exit_find(const char *name, int64_t *reason, int64_t *isa);
/* True if monitors of virtual machines give threads that run a virtual CPU the name NAME. */
bool mdl_exit_is_left_by(const char *name);

#endif
