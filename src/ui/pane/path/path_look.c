/* SPDX-License-Identifier: MIT */
/*
 * How the items of a path look.  Time on a CPU and for a CPU looks as in the
 * control flow; a wait begins with the letter of its kind and goes on as a
 * double line, so that kinds can be told apart without colours:
 *
 *   d disk   f cache flush   n network   t timer   l late timer   i other CPU
 *   v virtio   q other device   k input   ? not known   + deeper levels   ~ short ones
 */
#include "ui/pane/path/path.h"

#include "ui/widget/state_look.h"

static const struct {
	gunichar letter; /* 0: looks like STATE in the control flow */
	enum mdl_state state;
	enum term_role role;
} looks[PATH_LOOK_N] = {
	[ANA_SEG_RUNNING] = { 0, MDL_ST_RUNNING, TERM_ROLE_PATH_RUNNING },
	[ANA_SEG_SYSCALL] = { 0, MDL_ST_SYSCALL, TERM_ROLE_PATH_SYSCALL },
	[ANA_SEG_INTERRUPTED] = { 0, MDL_ST_INTERRUPTED, TERM_ROLE_PATH_INTERRUPTED },
	[ANA_SEG_WAIT_CPU] = { 0, MDL_ST_WAIT_CPU, TERM_ROLE_PATH_WAIT_CPU },
	[ANA_SEG_PREEMPTED] = { 0, MDL_ST_PREEMPTED, TERM_ROLE_PATH_PREEMPTED },
	[ANA_SEG_BLOCK] = { 'd', MDL_ST_N, TERM_ROLE_PATH_BLOCK },
	[ANA_SEG_FLUSH] = { 'f', MDL_ST_N, TERM_ROLE_PATH_FLUSH },
	[ANA_SEG_NETWORK] = { 'n', MDL_ST_N, TERM_ROLE_PATH_NETWORK },
	[ANA_SEG_TIMER] = { 't', MDL_ST_N, TERM_ROLE_PATH_TIMER },
	[ANA_SEG_TIMER_LATE] = { 'l', MDL_ST_N, TERM_ROLE_PATH_TIMER_LATE },
	[ANA_SEG_IPI] = { 'i', MDL_ST_N, TERM_ROLE_PATH_IPI },
	[ANA_SEG_IRQ] = { 'q', MDL_ST_N, TERM_ROLE_PATH_IRQ },
	[ANA_SEG_USER_INPUT] = { 'k', MDL_ST_N, TERM_ROLE_PATH_USER_INPUT },
	[ANA_SEG_VCPU_PREEMPTED] = { 0, MDL_ST_VCPU_PREEMPTED, TERM_ROLE_PATH_VCPU_PREEMPTED },
	[ANA_SEG_BLOCKED] = { '?', MDL_ST_N, TERM_ROLE_PATH_BLOCKED },
	[ANA_SEG_UNKNOWN] = { 0, MDL_ST_UNKNOWN, TERM_ROLE_PATH_UNKNOWN },
	[PATH_LOOK_VIRTIO] = { 'v', MDL_ST_N, TERM_ROLE_PATH_VIRTIO },
	[PATH_LOOK_DEEPER] = { '+', MDL_ST_N, TERM_ROLE_PATH_DEEPER },
	[PATH_LOOK_SHORT] = { '~', MDL_ST_N, TERM_ROLE_PATH_SHORT },
};

gunichar path_look_glyph(unsigned look, bool begins, bool hides)
{
	if (!looks[look].letter)
		return state_look_glyph(looks[look].state, hides ? STATE_MIXED : STATE_PURE);
	if (look == PATH_LOOK_SHORT || look == PATH_LOOK_DEEPER)
		return looks[look].letter;
	if (hides)
		return g_unichar_toupper(looks[look].letter);
	return begins ? looks[look].letter : 0x2550; /* ═ */
}

enum term_role path_look_role(unsigned look)
{
	return looks[look].role;
}

const char *path_look_name(unsigned look)
{
	switch (look) {
	case PATH_LOOK_VIRTIO: return "virtio";
	case PATH_LOOK_DEEPER: return "deeper";
	case PATH_LOOK_SHORT: return "folded";
	default: return ana_segment_kind_name(look);
	}
}
