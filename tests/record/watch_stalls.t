#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The stalls of watch.t at length.
use strict;
use warnings;
$ENV{WATCH_PARTS} = 'stalls';
$ENV{WATCH_STALLS} = 300;
do "$ENV{TOP}/tests/record/watch.t" or die $@ || $!;
