/* SPDX-License-Identifier: MIT */
#include "trace/trc_inputs.h"

#include "trace/bt2/trc_bt2.h"
#include "trace/ctf/trc_ctf.h"
#include "trace/ftrace/trc_ftrace.h"
#include "trace/perf/trc_perf.h"
#include "trace/perfetto/trc_perfetto.h"
#include "trace/text/trc_text.h"

#include <string.h>

const struct trc_input trc_inputs[TRC_INPUTS] = {
	{ &trc_ctf_input, 2, { &trc_ctf_ops, &trc_bt2_ops }, &trc_ctf_user_ops },
	{ &trc_ftrace_input, 1, { &trc_ftrace_ops }, NULL },
	{ &trc_perf_input, 1, { &trc_perf_ops }, NULL },
	{ &trc_perfetto_input, 1, { &trc_perfetto_ops }, NULL },
	{ &trc_text_input, 1, { &trc_text_ops }, NULL },
	{ &trc_text_plain_input, 1, { &trc_text_plain_ops }, NULL },
};

bool trc_inputs_detect(const char *path, const struct trc_input **input)
{
	bool is = false;

	*input = NULL;
	for (unsigned i = 0; i < TRC_INPUTS && !is; i++) {
		if (!trc_inputs[i].ops->detect(path, &is))
			return false;
		*input = is ? &trc_inputs[i] : NULL;
	}
	return true;
}

unsigned trc_inputs_reader(const struct trc_input *input, const char *name)
{
	unsigned i = 0;

	while (i < input->n_readers && strcmp(input->readers[i]->name, name) != 0)
		i++;
	return i;
}
