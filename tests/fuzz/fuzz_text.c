/* SPDX-License-Identifier: MIT */
/* libFuzzer target: any bytes as text of ftrace or perf script. */
#include "fuzz/whole.h"
#include "trace/text/trc_text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(G_GNUC_UNUSED int *argc, G_GNUC_UNUSED char ***argv)
{
	whole_init();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	whole_take(data, size, &trc_text_input, &trc_text_ops);
	whole_take(data, size, &trc_text_plain_input, &trc_text_plain_ops);
	return 0;
}
