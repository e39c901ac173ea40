#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The kills of watch.t at length.
use strict;
use warnings;
$ENV{WATCH_PARTS} = 'kills';
$ENV{WATCH_KILLS} = 100;
do "$ENV{TOP}/tests/record/watch.t" or die $@ || $!;
