/* SPDX-License-Identifier: MIT */
#include "ui/pane/pane.h"

const struct ui_pane_ops *const pane_all[] = { &pane_header, &pane_flow, &pane_flow, &pane_path,
	&pane_overview, &pane_latency, &pane_causes, &pane_stacks, &pane_machines, &pane_requests,
	&pane_spans, &pane_compare, &pane_wait, &pane_account, &pane_story, &pane_events, &pane_clocks,
	&pane_notes, &pane_hits, &pane_bookmarks, &pane_table, &pane_sql, &pane_fleet, &pane_names,
	&pane_sums, &pane_detail, &pane_navigate, &pane_request, &pane_export, &pane_copy, &pane_line,
	&pane_legend, &pane_menu, NULL };
