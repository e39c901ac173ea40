/* SPDX-License-Identifier: MIT */
#include "base/base_mix.h"

#define STEP 0x9e3779b97f4a7c15u

uint64_t base_mix(uint64_t i)
{
	i += STEP;
	i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
	i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
	return i ^ (i >> 31);
}

uint64_t base_mix_next(uint64_t *state)
{
	uint64_t number = base_mix(*state);

	*state += STEP;
	return number;
}
