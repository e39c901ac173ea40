#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# fleet_events.t with a thousand hosts.
use strict;
use warnings;

$ENV{HOSTS} = 1000;
do "$ENV{TOP}/tests/app/fleet_events.t";
die $@ if $@;
