/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define BASE_VERSION "0.2.0"

#endif
