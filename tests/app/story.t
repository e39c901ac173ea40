#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Without a terminal the explorer prints a trace's story: its contents, a critical path, an explained wait.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# Read in babeltrace2's text: wk-pipe-main is switched out asleep at …128876835 and woken by wk-stage3 at …158474565, its longest wait
# for another; in between each stage computes its part of an item and wakes the next.
my $r = wakepath(sample('pipeline'));
is($r->{status}, 0, 'status 0');
like($r->{out}, qr/^\s+host\s+solo$/m, 'the contents of the trace');
like($r->{out}, qr/^Critical path of wk-pipe-main\[\d+\] from 2026-11-20 10:03:05\.128876835, 29\.6 ms/m, 'the path of the main thread');
like($r->{out}, qr/wk-stage0.*running.*wk-stage1.*running.*wk-stage2.*running.*wk-stage3.*running/s, '… through the stages in their order');
like($r->{out}, qr/^wk-pipe-main\[434\] waited 29\.6 ms until 10:03:05\.158474565\nwoken by wk-stage3\[438\]$/m, 'a wait');
like($r->{out}, qr/thread wk-stage3\[438\]\s+woke it\s+proved/, '… explained');
like($r->{out}, qr/needs a terminal/, 'and how to start the explorer');

$r = wakepath(sample('ioburst-ipi'), '--thread', 'wk-ioburst');
is($r->{status}, 0, 'of the given thread');
like($r->{out}, qr/^wk-ioburst\[957\] waited/m, '… a wait of it');
is(wakepath(sample('pipeline'), '--thread', 'nobody')->{status}, 1, 'unknown thread: status 1');
done_testing;
