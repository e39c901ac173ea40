#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# One of six shares of all traces: the answers of wakepath equal those that Each.pm counts from the raw events.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Each;

Each::check(3);
