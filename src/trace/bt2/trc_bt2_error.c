/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_error.h"

#include "base/base_text.h"

#include <babeltrace2/babeltrace.h>
#include <glib.h>
#include <string.h>

#define LENGTH_MAX 300 /* causes carry long lists of internal values after the sentence */

char *trc_bt2_error_take(void)
{
	const bt_error *error = bt_current_thread_take_error();
	const char *message = "no reason given";
	char *text;

	if (!error)
		return g_strdup(message);
	if (bt_error_get_cause_count(error))
		message = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	text = base_text_clean(message, (gssize)strnlen(message, MIN(strcspn(message, "\n"), LENGTH_MAX)));
	bt_error_release(error);
	return text;
}
