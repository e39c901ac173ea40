/* SPDX-License-Identifier: MIT */
/* The words for what a segment of a path is about, made when they are asked for. */
#include "analysis/ana_late.h"
#include "analysis/ana_occupants.h"
#include "analysis/ana_path.h"
#include "analysis/ana_words.h"
#include "base/base_time.h"

static char *state_text(const struct qry *q, const struct ana_detail *d)
{
	struct mdl_interval iv = { .state = (uint8_t)d->state, .detail = d->value, .aux = d->cpu };

	return qry_detail_text(q, d->row, &iv);
}

/* What the wait of D was for; NULL when nothing more is known than the segment's kind and actor tell. */
static char *purpose_text(struct qry *q, const struct ana_detail *d)
{
	uint32_t host = qry_row(q, d->row)->host;
	struct mdl_cause cause;

	if (d->cause == 0 || !qry_cause(q, host, d->cause, &cause))
		return NULL;
	if (cause.facts.has & MDL_FACT_REQUEST)
		return ana_words_request(q, host, &cause.facts.request);
	if (cause.facts.has & MDL_FACT_PACKET)
		return ana_words_received(q, host, &cause.facts.packet);
	if ((cause.facts.has & MDL_FACT_TIMER) && cause.facts.timer.expired)
		return ana_words_timer(q, host, &cause.facts.timer);
	return NULL;
}

/* Who had the CPU while the timer was late, in SEGMENT: "late: the idle CPU 1 2.05 ms". */
static char *late_text(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;
	uint32_t host = qry_row(q, d->row)->host;
	struct mdl_cause cause;
	char *who, *text;

	if (d->cause == 0 || !qry_cause(q, host, d->cause, &cause) || !(cause.facts.has & MDL_FACT_TIMER))
		return NULL;
	who = ana_late_text(q, host, &cause.facts.timer, segment->from, segment->to);
	text = who ? g_strconcat("late: ", who, NULL) : NULL;
	g_free(who);
	return text;
}

/* "on the way 2.1 ms ± 0.3 ms": how long the packet between hosts was under way in SEGMENT. */
static void append_way(GString *text, const struct ana_segment *segment)
{
	const struct ana_crossing *c = &segment->crossing;
	int64_t length = segment->to - segment->from;
	char *way = base_time_format_duration(length, false), *error;

	g_string_append_printf(text, "%son the way %s", text->len > 0 ? "; " : "", way);
	g_free(way);
	if (c->error == INT64_MAX)
		return;
	error = base_time_format_duration(c->error, false);
	g_string_append_printf(text, " ± %s%s", error,
		c->error > length ? ", shorter than the clocks can tell" : "");
	g_free(error);
}

static char *waiter_text(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;
	char *who = qry_row_label(q, d->row), *how = state_text(q, d);
	char *purpose = segment->kind == ANA_SEG_TIMER_LATE ? late_text(q, segment) : purpose_text(q, d);
	GString *text = g_string_new(d->text);

	if (segment->crossing.crossed && segment->crossing.timed)
		append_way(text, segment);
	if (purpose)
		g_string_append_printf(text, "%s%s", text->len > 0 ? ": " : "", purpose);
	g_string_append_printf(text, "%swait of %s%s%s", text->len > 0 ? "; " : "", who, how ? ", " : "",
		how ? how : "");
	g_free(who);
	g_free(how);
	g_free(purpose);
	return g_string_free(text, FALSE);
}

char *ana_path_detail(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;

	switch (d->kind) {
	case ANA_DETAIL_TEXT: return g_strdup(d->text);
	case ANA_DETAIL_STATE: return state_text(q, d);
	case ANA_DETAIL_OCCUPANTS:
		return ana_occupants_text(q, qry_row(q, d->row)->host, d->cpu, segment->from, segment->to,
			false);
	case ANA_DETAIL_WAITER: return waiter_text(q, segment);
	case ANA_DETAIL_NONE: break;
	}
	return NULL;
}
