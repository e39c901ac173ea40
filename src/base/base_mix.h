/* SPDX-License-Identifier: MIT */
/* Deterministic pseudo-random numbers: SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014). */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stdint.h>

/* Return the hash of I: uniform over 64 bits, and different for each I. */
uint64_t base_mix(uint64_t i);
/* Return the next number of a sequence.  Any initial *STATE is valid. */
uint64_t base_mix_next(uint64_t *state);

#endif
