/* SPDX-License-Identifier: MIT */
#include "trace/trc_inputs.h"

#include "trace/bt2/trc_bt2.h"
#include "trace/ctf/trc_ctf.h"

#include <string.h>

const struct trc_source_ops *const trc_inputs[TRC_INPUTS] = { &trc_ctf_ops, &trc_bt2_ops };

unsigned trc_inputs_find(const char *name)
{
	unsigned i = 0;

	while (i < TRC_INPUTS && strcmp(trc_inputs[i]->name, name) != 0)
		i++;
	return i;
}
