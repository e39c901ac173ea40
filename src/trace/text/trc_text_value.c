/* SPDX-License-Identifier: MIT */
/* Values of fields, as the kernel and libtraceevent print them, become numbers of the model. */
#include "trace/text/trc_text.h"

#include <string.h>

typedef struct trc_text_part part;
typedef struct trc_text_field field;

part trc_text_symbol(part text)
{
	size_t n = 0;

	while (n < text.n && (g_ascii_isalnum(text.at[n]) || strchr("_.$@", text.at[n])) &&
		text.at[n] != '\0')
		n++;
	text.n = n;
	return text;
}

/* Made-up addresses are above user space and below every kernel (with 5-level page tables nothing is
 * there). */
#define MADE_UP UINT64_C(0xfe00000000000000)
#define WITHIN 8 /* bytes: the address of a call is not the begin of its function */

uint64_t trc_text_address(part name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < name.n; i++)
		hash = (hash ^ (unsigned char)name.at[i]) * UINT64_C(0x100000001b3);
	return name.n == 0 ? 0 : MADE_UP | (hash >> 12 & ~UINT64_C(0xfff000000000000f));
}

part trc_text_stack_line(part text, uint64_t *address)
{
	const char *open;
	part inside;

	*address = 0;
	trc_text_skip_blanks(&text);
	if (!trc_text_begins(text, "=> ")) { /* "ffffffff81c07b1e __schedule+0x2ae ([kernel.kallsyms])" */
		trc_text_take_number(&text, 16, address);
		trc_text_skip(&text, text.n > 0);
		return trc_text_symbol(text);
	}
	trc_text_skip(&text, strlen("=> "));
	open = memchr(text.at, '(', text.n); /* "=> __schedule (ffffffff81c07b1e)" */
	if (open) {
		inside = (part){ open + 1, text.n - (size_t)(open + 1 - text.at) };
		if (trc_text_begins(inside, "0x"))
			trc_text_skip(&inside, 2);
		trc_text_take_number(&inside, 16, address);
	}
	text = trc_text_symbol(text);
	if (*address == 0 && text.n > 0)
		*address = trc_text_address(text) + WITHIN;
	return text;
}

int64_t trc_text_number(part p, unsigned base)
{
	bool minus = p.n > 1 && *p.at == '-';
	uint64_t number;

	trc_text_skip(&p, minus);
	if (p.n > 2 && p.at[0] == '0' && p.at[1] == 'x') {
		base = 16;
		trc_text_skip(&p, 2);
	}
	if (!trc_text_take_number(&p, base, &number))
		return MDL_ARG_ABSENT;
	return minus ? -(int64_t)MIN(number, INT64_MAX) : (int64_t)number;
}

static int64_t device(part p)
{
	uint64_t major, minor = 0;

	if (!trc_text_take_number(&p, 10, &major) || p.n == 0 || (*p.at != ',' && *p.at != ':'))
		return MDL_ARG_ABSENT;
	trc_text_skip(&p, 1);
	if (!trc_text_take_number(&p, 10, &minor) || major > 0xfff || minor > 0xfffff)
		return MDL_ARG_ABSENT;
	return (int64_t)(major << 20 | minor); /* MKDEV(), include/linux/kdev_t.h */
}

/*
 * Return the bits of the states in P. The kernel prints the letters of its own version (trc_format.c).
 * libtraceevent up to 1.7 prints the letters of kernels before 4.14 for the bits of any kernel, "SDTtZXxW"
 * from the lowest bit on (plugins/plugin_sched_switch.c); newer versions print the kernel's. It has no bit
 * for a preempted thread: its "R" means that the thread is runnable.
 */
static int64_t state(part p, bool plugin, bool old_letters)
{
	int64_t states = 0;

	for (size_t i = 0; i < p.n; i++) {
		switch (p.at[i]) {
		case 'R': states |= plugin ? MDL_PREV_PREEMPTED : 0; break;
		case '+': states |= MDL_PREV_PREEMPTED; break;
		case '|': break;
		case 'S': states |= MDL_PREV_INTERRUPTIBLE; break;
		case 'D': states |= MDL_PREV_UNINTERRUPTIBLE; break;
		case 'T': states |= MDL_PREV_STOPPED; break;
		case 't': states |= MDL_PREV_TRACED; break;
		case 'x': states |= plugin && old_letters ? MDL_PREV_PARKED : MDL_PREV_DEAD; break;
		case 'X': states |= MDL_PREV_DEAD; break;
		case 'Z': states |= MDL_PREV_ZOMBIE; break;
		case 'P': states |= MDL_PREV_PARKED; break;
		case 'I':
		case 'N': states |= MDL_PREV_IDLE; break;
		case 'W': states |= plugin ? MDL_PREV_IDLE : MDL_PREV_UNKNOWN; break;
		case 'K': states |= MDL_PREV_KILLABLE; break;
		default: states |= MDL_PREV_UNKNOWN; break;
		}
	}
	return states;
}

/* Read a mask: "00000000,0000000c" is CPUs 2 and 3. */
static int64_t mask(part p)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < p.n; i++) {
		part digit = { p.at + i, 1 };
		uint64_t number;

		if (p.at[i] == ',')
			continue;
		if (!trc_text_take_number(&digit, 16, &number) || bits >> 60 != 0)
			return MDL_ARG_ABSENT;
		bits = bits << 4 | number;
	}
	return p.n == 0 || bits > INT64_MAX ? MDL_ARG_ABSENT : (int64_t)bits;
}

/* Read a list of CPUs: "0-5,7". */
static int64_t cpu_list(part p)
{
	uint64_t bits = 0, from, to;

	while (trc_text_take_number(&p, 10, &from)) {
		to = from;
		if (p.n > 0 && *p.at == '-') {
			trc_text_skip(&p, 1);
			if (!trc_text_take_number(&p, 10, &to))
				return MDL_ARG_ABSENT;
		}
		if (to > 62 || from > to)
			return MDL_ARG_ABSENT;
		for (; from <= to; from++)
			bits |= UINT64_C(1) << from;
		if (p.n == 0)
			return (int64_t)bits;
		if (*p.at != ',')
			break;
		trc_text_skip(&p, 1);
	}
	return MDL_ARG_ABSENT;
}

/* Return the BITS of the words in P, which '|' separates. */
static int64_t bits_of(part p, const char *const *names, const int64_t *bits, size_t n)
{
	int64_t all = 0;

	while (p.n > 0) {
		const char *bar = memchr(p.at, '|', p.n);
		part word = { p.at, bar ? (size_t)(bar - p.at) : p.n };
		size_t i = 0;

		while (i < n && !trc_text_is(word, names[i]))
			i++;
		if (i == n)
			return MDL_ARG_ABSENT;
		all |= bits[i];
		trc_text_skip(&p, word.n + !!bar);
	}
	return all;
}

/* Read an operation (include/uapi/linux/futex.h) as libtraceevent prints it (plugins/plugin_futex.c). */
static int64_t futex(part p)
{
	static const char *const names[] = { "FUTEX_WAIT", "FUTEX_WAKE", "FUTEX_FD", "FUTEX_REQUEUE",
		"FUTEX_CMP_REQUEUE", "FUTEX_WAKE_OP", "FUTEX_LOCK_PI", "FUTEX_UNLOCK_PI", "FUTEX_TRYLOCK_PI",
		"FUTEX_WAIT_BITSET", "FUTEX_WAKE_BITSET", "FUTEX_WAIT_REQUEUE_PI", "FUTEX_CMP_REQUEUE_PI",
		"FUTEX_LOCK_PI2", "FUTEX_PRIVATE_FLAG", "FUTEX_CLOCK_REALTIME" };
	static const int64_t bits[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 128, 256 };

	return trc_text_begins(p, "FUTEX_") ? bits_of(p, names, bits, G_N_ELEMENTS(bits))
					    : trc_text_number(p, 10);
}

/* Read the flags of decode_timer_flags(), include/trace/events/timer.h; include/linux/timer.h. */
static int64_t timer_flags(part p)
{
	static const char *const names[] = { "M", "D", "P", "I" };
	static const int64_t bits[] = { 0x40000, 0x80000, 0x100000, 0x200000 };

	return trc_text_begins(p, "0") ? trc_text_number(p, 10) : bits_of(p, names, bits, G_N_ELEMENTS(bits));
}

/* Return whether an argument in "3, 7ffe…, 0, 0, 0, 0" exceeds 32 bits. */
static int64_t width(part p)
{
	int64_t is = MDL_WIDTH_NARROW;
	uint64_t number;

	while (trc_text_take_number(&p, 16, &number)) {
		if (number > UINT32_MAX)
			is = MDL_WIDTH_WIDE;
		while (p.n > 0 && (*p.at == ',' || *p.at == ' '))
			trc_text_skip(&p, 1);
	}
	return is;
}

int64_t trc_text_value(const field *fields, const field *f, const struct trc_text_ways *ways)
{
	int64_t expires, number;

	switch (f->type) {
	case TRC_TEXT_HEX: return trc_text_number(f->value, 16);
	case TRC_TEXT_DEV: return device(f->value);
	case TRC_TEXT_STATE: return state(f->value, false, false);
	case TRC_TEXT_STATE_OF: return state(f->value, true, ways->old_letters);
	case TRC_TEXT_MASK: return mask(f->value);
	case TRC_TEXT_LIST: return ways->tool == TRC_TEXT_KERNEL ? mask(f->value) : cpu_list(f->value);
	case TRC_TEXT_ARGS: return width(f->value);
	case TRC_TEXT_FUTEX: return futex(f->value);
	case TRC_TEXT_TIMER: return timer_flags(f->value);
	case TRC_TEXT_BEGIN: return trc_text_is(f->value, "begin") || trc_text_is(f->value, "[reinjected]");
	/* "handled" includes IRQ_WAKE_THREAD (include/trace/events/irq.h). */
	case TRC_TEXT_HANDLED: return trc_text_is(f->value, "unhandled") ? 0 : MDL_ARG_ABSENT;
	case TRC_TEXT_SYMBOL:
		return trc_text_begins(f->value, "0x") || trc_text_begins(f->value, "ffff")
			? trc_text_number(f->value, 16)
			: (int64_t)trc_text_address(trc_text_symbol(f->value));
	case TRC_TEXT_AGO:
		number = trc_text_number(f->value, 10);
		for (; f > fields && !trc_text_is(f[-1].name, "expires"); f--)
			;
		expires = f > fields ? trc_text_number(f[-1].value, 10) : MDL_ARG_ABSENT;
		return expires == MDL_ARG_ABSENT || number == MDL_ARG_ABSENT
			? MDL_ARG_ABSENT
			: (int64_t)((uint64_t)expires - (uint64_t)number);
	case TRC_TEXT_WORDS:
	case TRC_TEXT_COMM:
	case TRC_TEXT_EXIT:
		return g_ascii_isdigit(f->value.n > 0 ? *f->value.at : ' ') ? trc_text_number(f->value, 10)
									    : MDL_ARG_ABSENT;
	default: return trc_text_number(f->value, 10);
	}
}
