/* SPDX-License-Identifier: MIT */
#include "ui/widget/path_look.h"

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
	[ANA_SEG_VCPU_EXIT] = { 0, MDL_ST_VCPU_EXIT, TERM_ROLE_PATH_VCPU_EXIT },
	[ANA_SEG_VM_INTERRUPT] = { 'g', MDL_ST_N, TERM_ROLE_PATH_VM_INTERRUPT },
	[ANA_SEG_BLOCKED] = { '?', MDL_ST_N, TERM_ROLE_PATH_BLOCKED },
	[ANA_SEG_UNKNOWN] = { 0, MDL_ST_UNKNOWN, TERM_ROLE_PATH_UNKNOWN },
	[PATH_LOOK_USERMODE] = { 0, MDL_ST_USERMODE, TERM_ROLE_PATH_USERMODE },
	[PATH_LOOK_VIRTIO] = { 'v', MDL_ST_N, TERM_ROLE_PATH_VIRTIO },
	[PATH_LOOK_DEEPER] = { '+', MDL_ST_N, TERM_ROLE_PATH_DEEPER },
	[PATH_LOOK_SHORT] = { '*', MDL_ST_N, TERM_ROLE_PATH_SHORT },
};

gunichar path_look_part(const struct term_grid *grid, unsigned look, bool begins, unsigned eighths)
{
	gunichar letter = looks[look].letter;

	if (!letter)
		return state_look_part(grid, looks[look].state, eighths);
	if (look == PATH_LOOK_SHORT || look == PATH_LOOK_DEEPER)
		return letter;
	if (!begins)
		return state_look_glyph(grid, MDL_ST_BLOCKED);
	return eighths >= STATE_WHOLE / 2 ? g_unichar_toupper(letter) : letter;
}

gunichar path_look_glyph(const struct term_grid *grid, unsigned look, bool name)
{
	gunichar letter = looks[look].letter;

	if (!letter && !name)
		letter = (gunichar)state_look_letter(looks[look].state);
	return letter ? letter : state_look_glyph(grid, looks[look].state);
}

enum term_role path_look_role(unsigned look)
{
	return looks[look].role;
}

const char *path_look_name(unsigned look)
{
	switch (look) {
	case PATH_LOOK_USERMODE: return mdl_state_name(MDL_ST_USERMODE);
	case PATH_LOOK_VIRTIO: return "virtio";
	case PATH_LOOK_DEEPER: return "deeper";
	case PATH_LOOK_SHORT: return "folded";
	default: return ana_segment_kind_name(look);
	}
}

enum state_class path_look_class(unsigned look)
{
	return looks[look].letter ? STATE_RESTING : state_look_class(looks[look].state);
}
