#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The stalls of watch.t at length.
use strict;
use warnings;
$ENV{WATCH_PARTS} = 'stalls';
@ENV{qw(WATCH_STALLS WATCH_GAP)} = (100, 10);	# ten minutes
do "$ENV{TOP}/tests/record/watch.t" or die $@ || $!;
