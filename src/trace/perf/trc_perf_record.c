/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf_record.h"

bool trc_perf_record_next(const struct trc_bytes *b, uint64_t *at, uint64_t end,
	struct trc_perf_record *record)
{
	struct trc_bytes head = { .data = b->data, .size = end, .at = *at, .big = b->big };
	uint64_t size, behind = 0;

	if (end > b->size || *at > end || end - *at < TRC_PERF_HEAD)
		return false;
	record->offset = *at;
	record->type = (uint32_t)trc_bytes_take_number(&head, 4);
	record->misc = (uint16_t)trc_bytes_take_number(&head, 2);
	size = trc_bytes_take_number(&head, 2);
	if (size < TRC_PERF_HEAD || size > end - *at)
		return false;
	record->data =
		(struct trc_bytes){ .data = b->data + *at, .size = size, .at = TRC_PERF_HEAD, .big = b->big };
	if (record->type == TRC_PERF_TRACING_DATA)
		behind = trc_bytes_take_number(&head, 4);
	else if (record->type == TRC_PERF_AUXTRACE)
		behind = trc_bytes_take_number(&head, 8);
	if (head.at > end || behind > end - *at - size)
		return false;
	*at += size + behind;
	return true;
}
