#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The kills of watch.t at length, its budget, a CPU that goes offline, and its cost.
use strict;
use warnings;
$ENV{WATCH_PARTS} = 'kills budget hotplug overhead';
$ENV{WATCH_KILLS} = 100;
do "$ENV{TOP}/tests/record/watch.t" or die $@ || $!;
