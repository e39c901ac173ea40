#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A share of all traces: Each.pm.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Each;

Each::check(2);
