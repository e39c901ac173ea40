/* SPDX-License-Identifier: MIT */
#include "ui/widget/meaning.h"

#include "ui/widget/looks.h"

#define HEAD(text, letters)                             \
	{                                               \
		MEANING_HEADING, 0, text, letters, NULL \
	}
#define STATE(id, text, todo)                                \
	{                                                    \
		MEANING_STATE, MDL_ST_##id, NULL, text, todo \
	}
#define WAIT(id, text, todo)                                 \
	{                                                    \
		MEANING_WAIT, ANA_SEG_##id, NULL, text, todo \
	}
#define LOOK(id, text, todo)                                   \
	{                                                      \
		MEANING_WAIT, PATH_LOOK_##id, NULL, text, todo \
	}
#define GRADE(id, text, todo)                             \
	{                                                 \
		MEANING_GRADE, MDL_##id, NULL, text, todo \
	}
#define SIGN(sign, text, todo)                    \
	{                                         \
		MEANING_SIGN, 0, sign, text, todo \
	}

const struct meaning meanings[] = {
	HEAD("States: height is the share of the cell", "States: a letter each"),
	STATE(USERMODE, "runs code of its program", "perf record -g shows in which functions"),
	STATE(SYSCALL, "runs in the kernel, in a system call", ":kind syscall lists the longest calls"),
	STATE(RUNNING, "runs; system calls were not recorded",
		"record system calls: :warnings has the command"),
	STATE(INTERRUPTED, "an interrupt or softirq has its CPU",
		"move the IRQ to another CPU (smp_affinity)"),
	STATE(WAIT_CPU, "woken, waits for a CPU", ":account names who had the CPU"),
	STATE(PREEMPTED, "lost its CPU and wants to run", ":account names who took it; change a priority"),
	{ MEANING_STATE, QRY_CELL_THROTTLED, NULL, "has used up its CPU quota",
		"raise cpu.max of its control group" },
	STATE(VCPU_PREEMPTED, "its virtual CPU waits for a CPU of the host",
		":machines names who had that CPU"),
	STATE(VCPU_EXIT, "the host handles an exit of its virtual CPU",
		":machines lists the exits by reason"),
	STATE(IN_FLIGHT, "the device works on a request", ":request shows each step of it"),
	STATE(QUEUED, "requests wait, none is at the device", ":request shows who submitted them"),
	STATE(WAITING, "runs, and waits as --spans declares", ":path goes on to the one that it waited for"),
	STATE(BLOCKED, "sleeps until something wakes it", ":why tells what it waited for"),
	STATE(IDLE, "the CPU has nothing to run", NULL),
	STATE(NEW, "created, has not run yet", ":kind fork lists how long that takes"),
	STATE(EXITED, "has ended", NULL),
	STATE(UNKNOWN, "nothing was recorded for a part of the cell",
		":warnings names lost and missing events"),
	HEAD("Waits of a critical path: a letter each", NULL),
	WAIT(BLOCK, "waits for a disk", ":request shows queue, device and completion"),
	WAIT(FLUSH, "the disk writes out its cache", "call fsync less often"),
	WAIT(NETWORK, "a packet is on its way", ":requests has both ends of it"),
	WAIT(TIMER, "sleeps until a time that a thread set", "wait for an event instead of a time"),
	WAIT(TIMER_LATE, "the timer expired after its time", ":why names what delayed it"),
	WAIT(IPI, "an interrupt from another CPU is on its way", "send the device's IRQ to the thread's CPU"),
	WAIT(IPI_WAIT, "spins until other CPUs took its IPI", ":account names the CPUs that were late"),
	WAIT(WAITING, "spins, as --spans declares, and is let go on", ":path shows who let it go on"),
	WAIT(IRQ, "waits for another device or softirq", ":why names it"),
	WAIT(USER_INPUT, "waits for keyboard or mouse", NULL),
	WAIT(VM_INTERRUPT, "the host sent an interrupt, the guest is late",
		":machines shows its virtual CPU"),
	WAIT(SUSPEND, "the machine was suspended", NULL),
	LOOK(VIRTIO, "waits for a device that the host emulates", "open the recording of the host, too"),
	WAIT(BLOCKED, "the cause of the wait is unknown", ":warnings names the missing events"),
	LOOK(DEEPER, "has deeper levels", ":level-more shows one more level"),
	LOOK(SHORT, "short segments, folded", ":fold-shorter shows more of them"),
	HEAD("Grades: how sure a statement is", NULL),
	GRADE(PROVED, "the events allow no other reading", NULL),
	GRADE(INFERRED, "the most likely reading", ":why shows the event that would prove it"),
	GRADE(UNSURE, "not recorded", ":warnings has the command that records it"),
	GRADE(DECLARED, "the file of --spans says so, not the kernel", NULL),
	HEAD("Steps of a comparison: how slow and fast differ", NULL),
	SIGN("structure", "more paths of one side have this step", "look at why they take this way"),
	SIGN("timing", "both have it; one side spends more time in it", ":why tells what it waited for"),
	SIGN("noise", "chance explains the difference", "compare more cases"), HEAD("Marks", NULL),
	SIGN("\342\226\201\342\226\204\342\226\210", "share of the cell; full: nothing else is in it",
		"zoom in where it is high"), /* ▁▄█ */
	SIGN("\342\226\202\342\226\205\342\226\203", "a counter's values: the highest one in the cell",
		"select the line: the bottom lines tell the value"), /* ▂▅▃ */
	SIGN("\342\200\242", "on a line: something rare, below 1/16 of the cell", "zoom in there"), /* • */
	SIGN("A a", "a capital: half of the cell or more", NULL),
	SIGN("\342\227\206", "a latency over the limit begins",
		":limit sets it, :worst-next goes there"), /* ◆ */
};
const unsigned meanings_n = G_N_ELEMENTS(meanings);

const char *meaning_name(const struct meaning *m)
{
	static const char *const grades[] = { [MDL_PROVED] = "proved",
		[MDL_INFERRED] = "inferred",
		[MDL_UNSURE] = "unknown",
		[MDL_DECLARED] = "declared" };

	switch (m->of) {
	case MEANING_STATE: return state_look_name(m->nr);
	case MEANING_WAIT: return path_look_name(m->nr);
	case MEANING_GRADE: return grades[m->nr];
	default: return "";
	}
}
