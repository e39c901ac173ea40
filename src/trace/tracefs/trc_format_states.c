/* SPDX-License-Identifier: MIT */
/*
 * How it works: the kernel prints prev_state by a list of its bits, each with a letter, and "+" for a thread
 * that could have gone on (TRACE_EVENT(sched_switch), include/trace/events/sched.h; task_state_array[],
 * fs/proc/array.c):
 *
 *	__print_flags(REC->prev_state & …, "|", { 0x00000001, "S" }, { 0x00000002, "D" }, …) : "R",
 *	REC->prev_state & (((0x00000000 | 0x00000001 | …) + 1) << 1) ? "+" : ""
 */
#include "trace/tracefs/trc_format.h"

#include "model/mdl_event.h"

#include <glib.h>
#include <string.h>

#define LETTERS_MAX 32
#define DEPTH_MAX 32 /* of parentheses */

struct trc_format_states {
	uint64_t preempted;
	unsigned n;
	struct {
		uint64_t bit;
		int64_t means; /* MDL_PREV_ */
	} letters[LETTERS_MAX];
};

/* MDL_PREV_ that LETTER stands for. */
static int64_t meaning_of(char letter)
{
	switch (letter) {
	case 'S': return MDL_PREV_INTERRUPTIBLE;
	case 'D': return MDL_PREV_UNINTERRUPTIBLE;
	case 'T': return MDL_PREV_STOPPED;
	case 't': return MDL_PREV_TRACED;
	case 'x':
	case 'X': return MDL_PREV_DEAD;
	case 'Z': return MDL_PREV_ZOMBIE;
	case 'P': return MDL_PREV_PARKED;
	case 'I':
	case 'N': return MDL_PREV_IDLE; /* TASK_NOLOAD, up to Linux 4.13 */
	case 'K': return MDL_PREV_KILLABLE;
	default: return MDL_PREV_UNKNOWN;
	}
}

/* ---- a constant expression of numbers, |, +, -, << and parentheses ---- */

static const char *skip(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

static const char *expression(const char *p, unsigned depth, uint64_t *value);

/* Read a number, or what stands in parentheses, behind P; NULL: there is none. */
static const char *operand(const char *p, unsigned depth, uint64_t *value)
{
	char *end;

	p = skip(p);
	if (*p == '(') {
		p = depth < DEPTH_MAX ? expression(p + 1, depth + 1, value) : NULL;
		p = p ? skip(p) : NULL;
		return p && *p == ')' ? p + 1 : NULL;
	}
	*value = g_ascii_strtoull(p, &end, 0);
	return end == p ? NULL : end;
}

/* From left to right: the kernel's macros put all else into parentheses. */
static const char *expression(const char *p, unsigned depth, uint64_t *value)
{
	uint64_t right;

	for (p = operand(p, depth, value); p; *value = right) {
		char op;

		p = skip(p);
		op = *p;
		if (op != '|' && op != '+' && op != '-' && !g_str_has_prefix(p, "<<"))
			return p;
		p = operand(p + (op == '<' ? 2 : 1), depth, &right);
		if (!p)
			break;
		switch (op) {
		case '|': right |= *value; break;
		case '+': right += *value; break;
		case '-': right = *value - right; break;
		default: right = right < 64 ? *value << right : 0; break;
		}
	}
	return NULL;
}

/* ---- */

/* { 0x00000001, "S" } behind P, which is added to S. */
static void add_letter(struct trc_format_states *s, const char *p)
{
	char *end;
	uint64_t bit = g_ascii_strtoull(p, &end, 0);

	if (end == p || bit == 0 || !g_str_has_prefix(end, ", \"") || end[3] == '\0' || end[4] != '"' ||
		s->n == LETTERS_MAX)
		return;
	s->letters[s->n].bit = bit;
	s->letters[s->n++].means = meaning_of(end[3]);
}

struct trc_format_states *trc_format_states_new(const char *format)
{
	static const char test[] = "REC->prev_state & ";
	struct trc_format_states s = { .n = 0 };
	const char *plus = strstr(format, "? \"+\""), *mask = NULL, *end;

	for (const char *p = strstr(format, test); p && plus && p < plus; p = strstr(p + 1, test))
		mask = p + strlen(test);
	if (!mask)
		return NULL;
	end = expression(mask, 0, &s.preempted);
	for (const char *p = strchr(format, '{'); p && p < plus; p = strchr(p + 1, '{'))
		add_letter(&s, skip(p + 1));
	return end && skip(end) == plus && s.n > 0 ? g_memdup2(&s, sizeof s) : NULL;
}

int64_t trc_format_states_read(const struct trc_format_states *s, uint64_t prev_state)
{
	int64_t means = prev_state & s->preempted ? MDL_PREV_PREEMPTED : 0;

	prev_state &= ~s->preempted;
	for (unsigned i = 0; i < s->n; i++) {
		means |= prev_state & s->letters[i].bit ? s->letters[i].means : 0;
		prev_state &= ~s->letters[i].bit;
	}
	return means | (prev_state & MDL_PREV_FROZEN ? MDL_PREV_FROZEN : prev_state ? MDL_PREV_UNKNOWN : 0);
}
