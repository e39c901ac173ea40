/* SPDX-License-Identifier: MIT */
/*
 * How it works: the heads of lines have these forms.
 *
 *	tracefs (print_trace_fmt(), trace_print_context() in kernel/trace):
 *	          <idle>-0       [004] d.h1.   201.990388: hrtimer_expire_entry: …
 *	       trace-cmd-659     (    659) [001] …			with the process (record-tgid)
 *	trace-cmd report, with -l, of an instance:
 *	       trace-cmd-659   [001]   201.990388: hrtimer_expire_entry: …
 *	trace-cm-659     1d.h1.   201.990388: hrtimer_expire_entry: …
 *	wk:    trace-cmd-659   [001]   201.990388: …
 *	perf script, with -F pid,tid,period:
 *	            perf     647 [000]   183.890966: sched:sched_switch: …
 *	            perf   647/648   [000]   183.890966:          1 sched:sched_switch: …
 *
 * A thread's name may contain anything. So "[001]" is searched for, with the text that must surround it. The
 * text before it is read backwards.
 */
#include "trace/text/trc_text.h"

#include "base/base_time.h"

#include <string.h>

#define HEAD_MAX 256 /* bytes; the head ends before */

typedef struct trc_text_part part;

bool trc_text_next(part *rest, part *line)
{
	const char *end;

	if (rest->n == 0)
		return false;
	end = memchr(rest->at, '\n', rest->n);
	line->at = rest->at;
	line->n = end ? (size_t)(end - rest->at) : rest->n;
	trc_text_skip(rest, line->n + !!end);
	line->n = MIN(line->n, TRC_TEXT_LINE_MAX);
	while (line->n > 0 && line->at[line->n - 1] == '\r')
		line->n--;
	return true;
}

bool trc_text_take_number(part *p, unsigned base, uint64_t *number)
{
	size_t i = 0;
	bool over = false;

	*number = 0;
	for (; i < p->n; i++) {
		char c = p->at[i];
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
			: base == 16 && (c | 0x20) >= 'a' && (c | 0x20) <= 'f'
			? (unsigned)((c | 0x20) - 'a') + 10
			: 16;

		if (digit >= base)
			break;
		over |= __builtin_mul_overflow(*number, (uint64_t)base, number);
		over |= __builtin_add_overflow(*number, (uint64_t)digit, number);
	}
	if (over)
		*number = UINT64_MAX;
	trc_text_skip(p, i);
	return i > 0;
}

static void trim_end(part *p)
{
	while (p->n > 0 && (p->at[p->n - 1] == ' ' || p->at[p->n - 1] == '\t'))
		p->n--;
}

/* Take the word up to the next blank. */
static part take_word(part *p)
{
	part word = { p->at, 0 };

	for (; p->n > 0 && *p->at != ' ' && *p->at != '\t'; trc_text_skip(p, 1))
		word.n++;
	return word;
}

/* Take TEXT from the begin of P. False if P begins otherwise. */
static bool take(part *p, const char *text)
{
	if (!trc_text_begins(*p, text))
		return false;
	trc_text_skip(p, strlen(text));
	return true;
}

/* Take the number from the end of P. False if there is none. */
static bool take_number_back(part *p, uint64_t *number)
{
	part digits = { p->at + p->n, 0 };

	while (p->n > 0 && p->at[p->n - 1] >= '0' && p->at[p->n - 1] <= '9') {
		digits.at--;
		digits.n++;
		p->n--;
	}
	return trc_text_take_number(&digits, 10, number);
}

/* ---- after the CPU ---- */

/* Take "201.990388:" or "78721373934:". */
static bool take_time(part *p, struct trc_text_line *line)
{
	uint64_t whole, fraction = 0;
	unsigned digits = 0;

	if (!trc_text_take_number(p, 10, &whole))
		return false;
	line->digits = 0;
	if (p->n > 1 && *p->at == '.' && g_ascii_isdigit(p->at[1])) {
		trc_text_skip(p, 1);
		for (; p->n > 0 && g_ascii_isdigit(*p->at); trc_text_skip(p, 1), digits++)
			if (digits < 9)
				fraction = fraction * 10 + (uint64_t)(*p->at - '0');
		line->digits = (uint8_t)MIN(digits, 9);
		for (; digits < 9; digits++)
			fraction *= 10;
		whole = MIN(whole, (uint64_t)BASE_TIME_FARTHEST / 1000000000) * 1000000000 + fraction;
	}
	line->time = base_time_near((int64_t)MIN(whole, (uint64_t)BASE_TIME_FARTHEST));
	return take(p, ":");
}

/* Return what FLAGS say (trace_print_lat_fmt(), kernel/trace/trace_output.c). CONTEXT: their column for
 * it. */
static uint8_t told_by(part flags, unsigned context)
{
	uint8_t told = MDL_TOLD_WITHIN;

	if (flags.n <= context)
		return 0;
	switch (flags.at[context]) {
	case 'H': return told | MDL_TOLD_IRQ | MDL_TOLD_SOFTIRQ;
	case 'Z':
	case 'z':
	case 'h': return told | MDL_TOLD_IRQ;
	case 's': return told | MDL_TOLD_SOFTIRQ;
	case '.':
	case 'b': return told;
	default: return 0;
	}
}

static bool is_name(char c)
{
	return c > ' ' && c < 127 && c != '(';
}

/* True if the word P is a sample's period: the "1" before the event's name. */
static bool is_period(part p)
{
	for (size_t i = 0; i < p.n; i++)
		if (!g_ascii_isdigit(p.at[i]))
			return false;
	return p.n > 0;
}

/* Take the name of the event and its fields: "sched_switch: prev_comm=…", "sys_read(fd: 3, …)", "sys_read ->
 * 0x1", "<stack trace>", "schedule <-worker_thread". */
static bool take_event(part p, struct trc_text_line *line)
{
	size_t n = 0;

	trc_text_skip_blanks(&p);
	if (p.n > 1 && *p.at == '(' && (p.at[1] == '+' || g_ascii_isdigit(p.at[1]))) { /* report --ts-diff */
		take_word(&p);
		trc_text_skip_blanks(&p);
	}
	for (part rest = p; is_period(take_word(&rest));) {
		trc_text_skip_blanks(&rest);
		if (rest.n == 0)
			break;
		p = rest;
	}
	if (p.n == 0)
		return false;
	if (*p.at == '<') {
		while (n < p.n && (is_name(p.at[n]) || p.at[n] == ' ') && p.at[n] != '>')
			n++;
		if (n == p.n || p.at[n] != '>')
			return false;
		line->event = (part){ p.at, n + 1 };
		line->fields = (part){ p.at + n + 1, p.n - n - 1 };
		return true;
	}
	while (n < p.n && is_name(p.at[n]))
		n++;
	line->event = (part){ p.at, n };
	line->fields = (part){ p.at + n, p.n - n };
	if (n == 0 || (n < p.n && p.at[n] != ' ' && p.at[n] != '\t' && p.at[n] != '('))
		return false;
	if (p.at[n - 1] == ':')
		line->event.n--;
	if (n >= p.n || p.at[n] != '(')
		trc_text_skip_blanks(&line->fields);
	return line->event.n > 0;
}

/* Read flags, time and event in P, the text after the CPU. */
static bool read_behind(part p, unsigned context, struct trc_text_line *line)
{
	trc_text_skip_blanks(&p);
	line->told = 0;
	if (p.n > 0 && !g_ascii_isdigit(*p.at)) {
		part flags = take_word(&p);

		if (flags.n < 3 || flags.n > 12)
			return false;
		line->told = told_by(flags, context);
		trc_text_skip_blanks(&p);
	}
	return take_time(&p, line) && take_event(p, line);
}

/* ---- before the CPU ---- */

static int32_t number_of_thread(uint64_t number)
{
	return number <= INT32_MAX ? (int32_t)number : -1;
}

/* True if NUMBER at the end of P belongs to a thread that has ended, as perf prints it: "   :-1      -1 ",
 * "  :-1  1008/-1 ". P is cut before it. */
static bool take_gone(part *p, uint64_t number)
{
	if (number != 1 || p->n < 2 || p->at[p->n - 1] != '-' || !strchr(" \t/", p->at[p->n - 2]))
		return false;
	p->n--;
	return true;
}

/* Return COMM without the name of an instance: "wk:            tl.sh" → "tl.sh". */
static part without_instance(part comm)
{
	const char *colon = memchr(comm.at, ':', comm.n);
	part behind = { colon ? colon + 1 : NULL, colon ? comm.n - (size_t)(colon + 1 - comm.at) : 0 };

	if (behind.n < 2 || behind.at[0] != ' ' || behind.at[1] != ' ')
		return comm;
	trc_text_skip_blanks(&behind);
	return behind;
}

/* Read P, the text before the CPU: "  trace-cmd-659     (    659) ", "  perf   647/648   ". */
static bool read_before(part p, struct trc_text_line *line)
{
	uint64_t number;
	part all;

	line->tid = line->pid = -1;
	trc_text_skip_blanks(&p);
	trim_end(&p);
	if (p.n > 0 && p.at[p.n - 1] == ')') {
		part inside = p;

		inside.n--;
		if (take_number_back(&inside, &number))
			line->pid = number_of_thread(number);
		while (p.n > 0 && p.at[p.n - 1] != '(')
			p.n--;
		if (p.n == 0)
			return false;
		p.n--;
		trim_end(&p);
	}
	line->tool = TRC_TEXT_PERF;
	line->comm = all = p;
	if (p.n == 0 || !take_number_back(&p, &number))
		return true;
	line->tid = take_gone(&p, number) ? -1 : number_of_thread(number);
	if (p.n > 1 && p.at[p.n - 1] == '-') {
		p.n--;
		line->tool = TRC_TEXT_KERNEL;
		line->comm = without_instance(p);
		return true;
	}
	if (p.n > 1 && p.at[p.n - 1] == '/') {
		p.n--;
		if (take_number_back(&p, &number))
			line->pid = take_gone(&p, number) ? -1 : number_of_thread(number);
	}
	if (p.n > 0 && p.at[p.n - 1] != ' ' &&
		p.at[p.n - 1] != '\t') { /* -F comm,cpu,…: the number belongs to the name */
		line->tid = -1;
		line->comm = all;
		return true;
	}
	trim_end(&p);
	line->comm = p;
	return true;
}

/* ---- whole heads ---- */

/* Read the head with "[001]". */
static bool read_brackets(part text, unsigned context, struct trc_text_line *line)
{
	size_t end = MIN(text.n, HEAD_MAX);
	const char *open = text.at;

	while ((open = memchr(open, '[', end - (size_t)(open - text.at)))) {
		part before = { text.at, (size_t)(open - text.at) }, p = { open + 1, text.n - before.n - 1 };
		uint64_t cpu;

		open++;
		if (!trc_text_take_number(&p, 10, &cpu) || !take(&p, "]") || p.n == 0 || *p.at != ' ')
			continue;
		line->cpu = (uint32_t)MIN(cpu, UINT32_MAX);
		if (read_behind(p, context, line) && read_before(before, line))
			return true;
	}
	return false;
}

/* Read the head of trace-cmd report -l: "trace-cm-659     1d.h1.   201.990388: ". */
static bool read_latency(part text, unsigned context, struct trc_text_line *line)
{
	size_t end = MIN(text.n, 40);
	const char *dash = text.at;

	while ((dash = memchr(dash, '-', end - (size_t)(dash - text.at)))) {
		part before = { text.at, (size_t)(dash - text.at) }, p = { dash + 1, text.n - before.n - 1 };
		uint64_t tid, cpu;

		dash++;
		if (!trc_text_take_number(&p, 10, &tid) || p.n == 0 || *p.at != ' ')
			continue;
		trc_text_skip_blanks(&p);
		if (!trc_text_take_number(&p, 10, &cpu) || p.n == 0 || *p.at == ' ' ||
			!read_behind(p, context, line))
			continue;
		trc_text_skip_blanks(&before);
		line->comm = without_instance(before);
		line->tid = number_of_thread(tid);
		line->pid = -1;
		line->cpu = (uint32_t)MIN(cpu, UINT32_MAX);
		line->tool = TRC_TEXT_TRACE_CMD;
		return true;
	}
	return false;
}

/* ---- lines without an event ---- */

/* Read "CPU:1 [LOST 12 EVENTS]" (print_lost_events of kernel/trace/trace.c), "CPU:1 [12 EVENTS DROPPED]"
 * (trace-cmd) or "##### CPU 1 buffer started ####". */
static bool read_lost(part p, struct trc_text_line *line)
{
	uint64_t cpu;

	line->lost = 0;
	if (take(&p, "##### CPU ")) {
		if (!trc_text_take_number(&p, 10, &cpu) || !take(&p, " buffer started"))
			return false;
	} else {
		if (!take(&p, "CPU:") || !trc_text_take_number(&p, 10, &cpu) || !take(&p, " ["))
			return false;
		take(&p, "LOST ");
		if (trc_text_take_number(&p, 10, &line->lost))
			trc_text_skip_blanks(&p);
		if (!take(&p, "EVENTS"))
			return false;
	}
	line->cpu = (uint32_t)MIN(cpu, UINT32_MAX);
	return true;
}

/* True for "=> __schedule" and "\tffffffff81c07b1e __schedule+0x2ae ([kernel.kallsyms])". */
static bool is_stack(part p)
{
	bool indented = p.n > 0 && (*p.at == ' ' || *p.at == '\t');
	uint64_t number;

	trc_text_skip_blanks(&p);
	if (trc_text_begins(p, "=> "))
		return true;
	return indented && trc_text_take_number(&p, 16, &number) && (p.n == 0 || *p.at == ' ');
}

/* True without CPU or time: "perf  647   183.890966: sched:sched_switch: …", "perf  647 [000] sched:…". */
static bool lacks_place(part p)
{
	const char *sched = p.n > 0 ? memmem(p.at, MIN(p.n, HEAD_MAX), "sched:sched_", strlen("sched:sched_"))
				    : NULL;

	return sched &&
		memchr(sched + strlen("sched:sched_"), ':',
			p.n - (size_t)(sched - p.at) - strlen("sched:sched_"));
}

enum trc_text_what trc_text_line_read(part text, unsigned context, struct trc_text_line *line)
{
	part p = text;

	if (read_lost(text, line))
		return TRC_TEXT_LOST;
	line->lost = 0;
	line->comm = (part){ text.at, 0 };
	if (text.n == 0 || *text.at == '#')
		return TRC_TEXT_COMMENT;
	if (read_brackets(text, context, line) || read_latency(text, context, line)) {
		if (!trc_text_is(line->event, "PERF_RECORD_LOST"))
			return TRC_TEXT_EVENT;
		p = line->fields;
		if (take(&p, "lost "))
			trc_text_take_number(&p, 10, &line->lost);
		return TRC_TEXT_LOST;
	}
	trc_text_skip_blanks(&p);
	return p.n == 0             ? TRC_TEXT_COMMENT
		: is_stack(text)    ? TRC_TEXT_STACK
		: lacks_place(text) ? TRC_TEXT_NO_CPU
				    : TRC_TEXT_OTHER;
}
