/* SPDX-License-Identifier: MIT */
/* Signals that were sent, from the event signal_generate, which all tracers have. */
#include "table/table.h"

#include "analysis/kind/kind.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/events/scan.h"

#include <string.h>

enum field { SIG, PID, COMM, GROUP, RESULT, CODE, FIELDS };

struct signal {
	struct qry_event e;
	int64_t numbers[FIELDS]; /* BASE_TIME_NONE: missing */
	char *comm;              /* owned; NULL: missing */
};

struct signals {
	struct table_cursor of;
	struct qry_scan *scan; /* owned */
	struct signal now;
};

static bool is_sent(G_GNUC_UNUSED void *data, const char *name)
{
	const char *behind = strrchr(name, ':');

	return g_str_equal(behind ? behind + 1 : name, "signal_generate");
}

static bool open_signals(struct table_cursor *cursor, GError **error)
{
	static const char *const fields[FIELDS] = { "sig", "pid", "comm", "group", "result", "code" };
	const struct qry_scan_want want = { .fields = fields, .n_fields = FIELDS, .thread = true };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct signals *c = (struct signals *)cursor;

	if (!table_needs_event(cursor->q, "signal_generate", error))
		return false;
	filter.from = cursor->ask.from;
	filter.to = cursor->ask.to;
	filter.host = cursor->ask.host;
	filter.wants = is_sent;
	c->scan = qry_scan_new(cursor->q, &filter, &want, error);
	return c->scan;
}

static int next_signal(struct table_cursor *cursor, const void **row, GError **error)
{
	struct signals *c = (struct signals *)cursor;
	const struct trc_value *values;
	int more = qry_scan_next(c->scan, &c->now.e, cursor->ask.progress, error);

	g_clear_pointer(&c->now.comm, g_free);
	if (more <= 0)
		return more;
	values = qry_scan_values(c->scan, error);
	if (!values)
		return -1;
	for (unsigned i = 0; i < FIELDS; i++) {
		bool number = values[i].type == TRC_VALUE_SIGNED || values[i].type == TRC_VALUE_UNSIGNED;

		c->now.numbers[i] = number ? (int64_t)values[i].number : BASE_TIME_NONE;
	}
	if (values[COMM].type == TRC_VALUE_TEXT)
		c->now.comm = base_text_clean(values[COMM].text,
			(gssize)strnlen(values[COMM].text, values[COMM].length));
	*row = &c->now;
	return 1;
}

static void close_signals(struct table_cursor *cursor)
{
	g_free(((struct signals *)cursor)->now.comm);
	qry_scan_free(((struct signals *)cursor)->scan);
}

static char *name_of(int64_t number)
{
	const char *name = number > 0 && number < 65 ? ana_words_signal_name((uint32_t)number) : NULL;

	return name ? g_strconcat("SIG", name, NULL) : NULL;
}

TABLE_COLUMNS(signal_columns)
{
	const struct signal *s = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = s->e.time);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, s->e.host));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(s->e.cpu));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER,
		"the thread on the CPU, which sent it unless an interrupt did",
		number = table_id(s->e.thread));
	TABLE_COLUMN("sig", NULL, TABLE_NUMBER, "its number", number = s->numbers[SIG]);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "`SIGALRM`", taken = name_of(s->numbers[SIG]));
	TABLE_COLUMN("to_tid", NULL, TABLE_NUMBER, "TID of the thread that it is for",
		number = s->numbers[PID]);
	TABLE_COLUMN("to_name", NULL, TABLE_WORD, "name of that thread", word = s->comm);
	TABLE_COLUMN("to_process", NULL, TABLE_YES, "1: any thread of the process may take it",
		number = s->numbers[GROUP]);
	TABLE_COLUMN("code", NULL, TABLE_NUMBER, "`si_code`", number = s->numbers[CODE]);
	TABLE_COLUMN("result", NULL, TABLE_NUMBER,
		"0: delivered, 1: ignored, 2: already pending, 3: lost (overflow), 4: without its data",
		number = s->numbers[RESULT]);
}

const struct table table_signals = {
	.name = "signal",
	.list = "signals",
	.doc = "a signal that was sent",
	.columns = signal_columns,
	.size = sizeof(struct signals),
	.takes = TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_BY_TIME,
	.open = open_signals,
	.next = next_signal,
	.close = close_signals,
};
