/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define BASE_VERSION "0.3.0"

#endif
