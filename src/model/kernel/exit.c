/* SPDX-License-Identifier: MIT */
/*
 * Numbers and names: VMX_EXIT_REASONS in arch/x86/include/uapi/asm/vmx.h, SVM_EXIT_REASONS in .../svm.h,
 * kvm_arm_exception_type in arch/arm64/include/asm/kvm_asm.h and kvm_arm_exception_class (ESR_ELx_EC_*) in
 * arch/arm64/include/asm/esr.h. Names of SVM's registers end with their number.
 */
#include "model/kernel/exit.h"

#include "model/event/event.h"

#include <glib.h>
#include <string.h>

/* The upper byte of an exit: the list that its number is from. */
enum { ISA_VMX = 1, ISA_SVM, ISA_ARM, ISA_UNKNOWN, ISA_OTHER };

#define ISA_SHIFT 24
#define NUMBER 0xffffffu

struct reason {
	uint32_t number;
	const char *name;
};

/* clang-format off */
static const struct reason vmx[] = {
	{ 0, "EXCEPTION_NMI" },
	{ 1, "EXTERNAL_INTERRUPT" },
	{ 2, "TRIPLE_FAULT" },
	{ 3, "INIT_SIGNAL" },
	{ 4, "SIPI_SIGNAL" },
	{ 7, "INTERRUPT_WINDOW" },
	{ 8, "NMI_WINDOW" },
	{ 9, "TASK_SWITCH" },
	{ 10, "CPUID" },
	{ 12, "HLT" },
	{ 13, "INVD" },
	{ 14, "INVLPG" },
	{ 15, "RDPMC" },
	{ 16, "RDTSC" },
	{ 18, "VMCALL" },
	{ 19, "VMCLEAR" },
	{ 20, "VMLAUNCH" },
	{ 21, "VMPTRLD" },
	{ 22, "VMPTRST" },
	{ 23, "VMREAD" },
	{ 24, "VMRESUME" },
	{ 25, "VMWRITE" },
	{ 26, "VMOFF" },
	{ 27, "VMON" },
	{ 28, "CR_ACCESS" },
	{ 29, "DR_ACCESS" },
	{ 30, "IO_INSTRUCTION" },
	{ 31, "MSR_READ" },
	{ 32, "MSR_WRITE" },
	{ 33, "INVALID_STATE" },
	{ 34, "MSR_LOAD_FAIL" },
	{ 36, "MWAIT_INSTRUCTION" },
	{ 37, "MONITOR_TRAP_FLAG" },
	{ 39, "MONITOR_INSTRUCTION" },
	{ 40, "PAUSE_INSTRUCTION" },
	{ 41, "MCE_DURING_VMENTRY" },
	{ 43, "TPR_BELOW_THRESHOLD" },
	{ 44, "APIC_ACCESS" },
	{ 45, "EOI_INDUCED" },
	{ 46, "GDTR_IDTR" },
	{ 47, "LDTR_TR" },
	{ 48, "EPT_VIOLATION" },
	{ 49, "EPT_MISCONFIG" },
	{ 50, "INVEPT" },
	{ 51, "RDTSCP" },
	{ 52, "PREEMPTION_TIMER" },
	{ 53, "INVVPID" },
	{ 54, "WBINVD" },
	{ 55, "XSETBV" },
	{ 56, "APIC_WRITE" },
	{ 57, "RDRAND" },
	{ 58, "INVPCID" },
	{ 59, "VMFUNC" },
	{ 60, "ENCLS" },
	{ 61, "RDSEED" },
	{ 62, "PML_FULL" },
	{ 63, "XSAVES" },
	{ 64, "XRSTORS" },
	{ 67, "UMWAIT" },
	{ 68, "TPAUSE" },
	{ 74, "BUS_LOCK" },
	{ 75, "NOTIFY" },
};

static const struct reason svm[] = {
	{ 0x40, "DE excp" },
	{ 0x41, "DB excp" },
	{ 0x43, "BP excp" },
	{ 0x44, "OF excp" },
	{ 0x45, "BR excp" },
	{ 0x46, "UD excp" },
	{ 0x47, "NM excp" },
	{ 0x48, "DF excp" },
	{ 0x4a, "TS excp" },
	{ 0x4b, "NP excp" },
	{ 0x4c, "SS excp" },
	{ 0x4d, "GP excp" },
	{ 0x4e, "PF excp" },
	{ 0x50, "MF excp" },
	{ 0x51, "AC excp" },
	{ 0x52, "MC excp" },
	{ 0x53, "XM excp" },
	{ 0x60, "interrupt" },
	{ 0x61, "nmi" },
	{ 0x62, "smi" },
	{ 0x63, "init" },
	{ 0x64, "vintr" },
	{ 0x65, "cr0_sel_write" },
	{ 0x66, "read_idtr" },
	{ 0x67, "read_gdtr" },
	{ 0x68, "read_ldtr" },
	{ 0x69, "read_tr" },
	{ 0x6a, "write_idtr" },
	{ 0x6b, "write_gdtr" },
	{ 0x6c, "write_ldtr" },
	{ 0x6d, "write_tr" },
	{ 0x6e, "rdtsc" },
	{ 0x6f, "rdpmc" },
	{ 0x70, "pushf" },
	{ 0x71, "popf" },
	{ 0x72, "cpuid" },
	{ 0x73, "rsm" },
	{ 0x74, "iret" },
	{ 0x75, "swint" },
	{ 0x76, "invd" },
	{ 0x77, "pause" },
	{ 0x78, "hlt" },
	{ 0x79, "invlpg" },
	{ 0x7a, "invlpga" },
	{ 0x7b, "io" },
	{ 0x7c, "msr" },
	{ 0x7d, "task_switch" },
	{ 0x7e, "ferr_freeze" },
	{ 0x7f, "shutdown" },
	{ 0x80, "vmrun" },
	{ 0x81, "hypercall" },
	{ 0x82, "vmload" },
	{ 0x83, "vmsave" },
	{ 0x84, "stgi" },
	{ 0x85, "clgi" },
	{ 0x86, "skinit" },
	{ 0x87, "rdtscp" },
	{ 0x88, "icebp" },
	{ 0x89, "wbinvd" },
	{ 0x8a, "monitor" },
	{ 0x8b, "mwait" },
	{ 0x8c, "mwait_cond" },
	{ 0x8d, "xsetbv" },
	{ 0x8e, "rdpru" },
	{ 0x8f, "efer_write_trap" },
	{ 0xa2, "invpcid" },
	{ 0xa5, "bus_lock" },
	{ 0x400, "npf" },
	{ 0x401, "avic_incomplete_ipi" },
	{ 0x402, "avic_unaccelerated_access" },
	{ 0x403, "vmgexit" },
};

/* Exception classes of a trap. */
static const struct reason arm[] = {
	{ 0x0, "TRAP unknown" },
	{ 0x1, "WFx" },
	{ 0x3, "CP15_32" },
	{ 0x4, "CP15_64" },
	{ 0x5, "CP14_MR" },
	{ 0x6, "CP14_LS" },
	{ 0x7, "FP_ASIMD" },
	{ 0x8, "CP10_ID" },
	{ 0x9, "PAC" },
	{ 0xc, "CP14_64" },
	{ 0xe, "ILL" },
	{ 0x11, "SVC32" },
	{ 0x12, "HVC32" },
	{ 0x13, "SMC32" },
	{ 0x15, "SVC64" },
	{ 0x16, "HVC64" },
	{ 0x17, "SMC64" },
	{ 0x18, "SYS64" },
	{ 0x19, "SVE" },
	{ 0x1a, "ERET" },
	{ 0x20, "IABT_LOW" },
	{ 0x21, "IABT_CUR" },
	{ 0x22, "PC_ALIGN" },
	{ 0x24, "DABT_LOW" },
	{ 0x25, "DABT_CUR" },
	{ 0x26, "SP_ALIGN" },
	{ 0x2f, "SERROR" },
	{ 0x30, "BREAKPT_LOW" },
	{ 0x32, "SOFTSTP_LOW" },
	{ 0x34, "WATCHPT_LOW" },
	{ 0x38, "BKPT32" },
	{ 0x3c, "BRK64" },
};

/* clang-format on */

/* enum arm_exception_type */
enum { ARM_IRQ, ARM_SERROR, ARM_TRAP, ARM_IL };

#define VMX_BASIC 0xffff /* the upper bits of the field are flags, such as "failed entry" */
#define VMX_HLT 12
#define VMX_MWAIT 36
#define SVM_HLT 0x78
#define SVM_MWAIT 0x8b
#define SVM_MWAIT_COND 0x8c
#define ARM_WFX 0x01
#define ARM_CLASS_BITS 8

uint32_t mdl_exit_make(int64_t reason, int64_t isa, int64_t exception)
{
	uint32_t number = reason == MDL_ARG_ABSENT ? NUMBER : (uint32_t)reason & NUMBER;

	if (exception != MDL_ARG_ABSENT)
		return (uint32_t)ISA_ARM << ISA_SHIFT | (number << ARM_CLASS_BITS & NUMBER) |
			((uint32_t)exception & 0xff);
	if (isa == ISA_VMX && reason != MDL_ARG_ABSENT)
		return (uint32_t)ISA_VMX << ISA_SHIFT | ((uint32_t)reason & VMX_BASIC);
	return (uint32_t)(isa == ISA_SVM ? ISA_SVM : ISA_UNKNOWN) << ISA_SHIFT | number;
}

uint32_t mdl_exit_other(enum mdl_exit_other other)
{
	return (uint32_t)ISA_OTHER << ISA_SHIFT | (uint32_t)other;
}

bool mdl_exit_is_vmx(uint32_t exit)
{
	return exit >> ISA_SHIFT == ISA_VMX;
}

bool mdl_exit_halts(uint32_t exit)
{
	uint32_t number = exit & NUMBER;

	switch (exit >> ISA_SHIFT) {
	case ISA_VMX: return number == VMX_HLT || number == VMX_MWAIT;
	case ISA_SVM: return number == SVM_HLT || number == SVM_MWAIT || number == SVM_MWAIT_COND;
	case ISA_ARM: return number == (ARM_TRAP << ARM_CLASS_BITS | ARM_WFX);
	default: return false;
	}
}

static char *named(const struct reason *reasons, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (reasons[i].number == number)
			return g_strdup(reasons[i].name);
	return g_strdup_printf("exit %u", number);
}

/* SVM_EXIT_READ_CR0 and similar ranges have a number for each register. */
static char *svm_name(uint32_t number)
{
	static const struct {
		uint32_t first, n;
		const char *format;
	} ranges[] = { { 0x00, 16, "read_cr%u" }, { 0x10, 16, "write_cr%u" }, { 0x20, 16, "read_dr%u" },
		{ 0x30, 16, "write_dr%u" }, { 0x40, 32, "excp%u" }, { 0x90, 16, "cr%u_write_trap" } };

	for (size_t i = 0; i < G_N_ELEMENTS(ranges); i++)
		if (number - ranges[i].first < ranges[i].n)
			return g_strdup_printf(ranges[i].format, number - ranges[i].first);
	return named(svm, G_N_ELEMENTS(svm), number);
}

static char *arm_name(uint32_t number)
{
	switch (number >> ARM_CLASS_BITS) {
	case ARM_IRQ: return g_strdup("IRQ");
	case ARM_SERROR: return g_strdup("SERROR");
	case ARM_TRAP: return named(arm, G_N_ELEMENTS(arm), number & 0xff);
	case ARM_IL: return g_strdup("IL");
	default: return g_strdup_printf("exit %u", number >> ARM_CLASS_BITS);
	}
}

static char *other_name(uint32_t number)
{
	static const char *const names[] = { [MDL_EXIT_INTERRUPTED] = "interrupt of the host",
		[MDL_EXIT_HALTED] = "halted",
		[MDL_EXIT_ASLEEP] = "asleep in the host",
		[MDL_EXIT_TSC_SET] = "TSC set" };

	return number < G_N_ELEMENTS(names) ? g_strdup(names[number]) : NULL;
}

char *mdl_exit_name(uint32_t exit)
{
	uint32_t number = exit & NUMBER;

	switch (exit >> ISA_SHIFT) {
	case ISA_VMX: return named(vmx, G_N_ELEMENTS(vmx), number);
	case ISA_SVM: return svm_name(number);
	case ISA_ARM: return arm_name(number);
	case ISA_OTHER: return other_name(number);
	default: return number == NUMBER ? g_strdup("unknown") : g_strdup_printf("exit %u", number);
	}
}

static bool find_name(const struct reason *reasons, size_t n, const char *name, int64_t *reason)
{
	for (size_t i = 0; i < n; i++) {
		if (g_ascii_strcasecmp(reasons[i].name, name) != 0)
			continue;
		*reason = reasons[i].number;
		return true;
	}
	return false;
}

void mdl_exit_find(const char *name, int64_t *reason, int64_t *isa)
{
	/* SVM_EXIT_REASONS of libtraceevent, plugins/plugin_kvm.c, for which KVM has other names than
	 * svm.h */
	static const char *const others[][2] = { { "INTR", "interrupt" }, { "IOIO", "io" },
		{ "VMMCALL", "hypercall" } };
	const char *svm_exit = g_str_has_prefix(name, "EXIT_") ? name + strlen("EXIT_") : name;

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		if (g_str_equal(svm_exit, others[i][0]))
			svm_exit = others[i][1];
	/* VMX's names are capitals. "HLT" is a name in both lists. */
	if (svm_exit == name && g_ascii_isupper(*name) && find_name(vmx, G_N_ELEMENTS(vmx), name, reason))
		*isa = ISA_VMX;
	else if (find_name(svm, G_N_ELEMENTS(svm), svm_exit, reason))
		*isa = ISA_SVM;
}

bool mdl_exit_is_left_by(const char *name)
{
	/* QEMU (with debug-threads=on, and without), Firecracker, kvmtool, crosvm, Cloud Hypervisor */
	static const char *const names[] = { "CPU */KVM", "qemu-*", "kvm", "fc_vcpu *", "kvm-vcpu-*",
		"crosvm_vcpu*", "vcpu*" };
	bool found = false;

	for (size_t i = 0; i < G_N_ELEMENTS(names) && !found; i++)
		found = *name == *names[i] && g_pattern_match_simple(names[i], name);
	return found;
}
