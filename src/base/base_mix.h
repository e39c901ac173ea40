/* SPDX-License-Identifier: MIT */
/* Numbers that look random and are always the same: SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014). */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stdint.h>

/* The number for I: even over all 64 bits, and each I has its own. */
uint64_t base_mix(uint64_t i);
/* The next number of a sequence; *STATE is any number at first. */
uint64_t base_mix_next(uint64_t *state);

#endif
