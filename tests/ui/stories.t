#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Typical problems, in the real program in a real terminal, at three sizes: from opening a trace to the answer in at most eight keys.  docs/guide.md
# has the same stories.  The answers are those of the traces' README, read by hand in babeltrace2's text where it says so.
use strict;
use warnings;
use utf8;
use Test::More;
use lib "$ENV{TOP}/tests/tools";
use Tmux;
use Wake;

my $samples = $ENV{SAMPLES} // "$ENV{TOP}/sample-traces";
my @sizes = ([80, 24], [120, 40], [200, 60]);
my $MOST_KEYS = 8;

plan skip_all => 'tmux is not installed' if system('tmux -V >/dev/null 2>&1');

# Each: its name, trace, and steps: keys, each of which is pressed once, and a pattern that the screen must show before the next ones.
my @stories = (
	['what is in this trace', 'pipeline',
	 [[], qr/Overview  whole trace.*wk-pipe-main\[434\]: 392 ms, of which 21 % ran/s],
	 [['z'], qr/2 CPUs, \d+ events.*Threads that used the CPUs most/s]],
	# The slowest of wk-client's requests asked db, too: while wk-server computes there, httpd's waits for it.
	['slow request over three hosts', 'rpc-chain',
	 [['J', 'Down', 'Down', 'Down', 'Enter'], qr/both ends recorded.*63\.1 ms.*wk-client\S* +\w+\/wk-server\[492\]/s],
	 [['Enter'], qr/ath of client\/wk-client\[572\]  63\.3 ms.*^h wk-server\[492\] +56/ms],
	 [['z'], qr/ath of client\/wk-client\[572\]  63\.3 ms.*^h wk-server\[492\] +56.* 20\.8 ms +32\.8% .*db\/wk-server\[412\]/ms]],
	# All slow ones, and only they, asked db: that takes half of the difference.
	['why are the slow ones slow', 'rpc-chain',
	 [['/', 'w', 'k', '-', 'c', 'Enter', '='], qr/slow 4 of 12 .*fast 8 .*\+39\.\d ms.*\+20\.\d ms +53\.2% .*db\/wk-server running .*only in slow/s],
	 [['Enter'], qr/fast, typical: 13\.0 ms, of that 0 in the step.*slow, extreme: 51\.4 ms, of that 21\.3 ms in the step/s]],
	# wk-rt was woken first at …480042545, and ran 13.7 ms later; wk-victim was switched in all that time except 79 µs.
	['worst wake-up, and who had the CPU', 'preempt',
	 [['J', 'w', 'a', 'k', 'Enter'], qr/Worst.*1 +13\.7 ms.*wk-rt\[547\]/s],
	 [['Enter'], qr/Account of wk-rt\[547\]  13\.7 ms.*wait-cpu +wk-victim\[546\].* 13\.4 ms +97\.9%[^\n]* proved/s],
	 # The next one, from the account: of that latency alone, not of the wait that its wake-up ended; and back.
	 [['.'], qr/Account of rcu_preempt\[15\]  7\.37 ms from 0\.116154300 s.*wait-cpu +wk-victim\[546\].* 3\.86 ms +52\.4%[^\n]* proved/s],
	 [[','], qr/Account of wk-rt\[547\]  13\.7 ms from 0\.082453930 s/]],
	['slow disk', 'ioburst-ipi',
	 [['J', 'd', 'i', 's', 'Enter'], qr/Worst.*1 +3\.85 ms.*vdb read/s],
	 [['Enter', ']'], qr/^ wk-ioburst\[957\]  blocked \(uninterruptible\)  for 3\.81 ms.*^ ended by: block: read of vdb, 64\.0 KiB: 3\.77 ms in the device/ms]],
	# fsync(), between the marks "fsync begin" and "fsync end": it is switched out at …828224330 and woken at …830183920 by jbd2/vdb-8, for which the disk wrote 20 KiB,
	# flushed (…829311630 to …829462110), wrote 4 KiB (…829511030 to …829917580) and flushed again; of all waits for writes it is the longest.
	['slow write', 'ioburst-ipi',
	 [['J', 'w', 'r', 'Enter'], qr/Worst blocked.* of write flush.*1 +1\.96 ms.*wk-ioburst\[957\].*2 +648 .s.*jbd2\/vdb-8\[405\]/s],
	 [['Enter'], qr/Account of wk-ioburst\[957\]  1\.96 ms.*blocked +jbd2\/vdb-8\[405\] ran.* 937 .s +47\.8%[^\n]* proved.*blocked +vdb in the device.* 590 .s +30\.1%[^\n]* proved/s]],
	# wk-fighter1 waited for the mutex that wk-fighter2 held, then wk-fighter0, and then for a CPU.
	['lock', 'lockfight',
	 [['J', 'l', 'o', 'c', 'Enter'], qr/Worst.*1 +19\.8 ms[^\n]* wk-fighter0\[471\] h/s],
	 [['Enter'], qr/Account of wk-fighter1\[472\]  19\.8 ms.*blocked +wk-fighter0\[471\] ran/s]],
	['stolen virtual CPU, at once', 'vm-preempt',
	 [[], qr/guest1\/wk-rank0\[583\]: 275 ms, of which 58 % ran, 33 % was stolen,\s+mostly\s+by\s+host\/wk-pulse\[679\]/s],
	 [['Enter'], qr/Account of guest1\/wk-rank0\[583\]  275 ms.*stolen +host\/wk-pulse\[679\].* 75\.7 ms +27\.5%/s]],
	['stolen virtual CPU', 'vm-preempt',
	 [['J', 'v', 'i', 'r', 'Enter'], qr/Virtual machines.*inside/s],
	 [['z'], qr/ 617 ms +8\.8% +\S preempted\n *389 ms +5\.6% +31 +12\.8 ms +preempted: wk-pulse\[679\]/]],
);

# Stories are about keys; test_reopen and growing.t test keys during the build of an index.
my %traces = map { $_->[1] => 1 } @stories;
is(wakepath('index', '--quiet', "$samples/$_")->{status}, 0, "$_ has an index") for sort keys %traces;

for my $story (@stories) {
	my ($name, $trace, @steps) = @$story;
	my @keys = map { @{ $_->[0] } } @steps;
	ok !(grep { !/^(?:.|Enter|Down)$/ } @keys), "$name: each is one key" or diag "@keys";
	cmp_ok scalar @keys, '<=', $MOST_KEYS, "$name: at most $MOST_KEYS keys";
	for my $size (@sizes) {
		my ($columns, $rows) = @$size;
		subtest "$name, ${columns}x$rows" => sub {
			start_as_is($columns, $rows, '', "$samples/$trace");
			shows(qr/^\W+Overview  whole trace(?!.* of \d+ parts)(?:.*\n)*? \S+\[\d+\].*(?: ran|asked )/m, 'opens, and is found to the end');
			for my $step (@steps) {
				press(@{ $step->[0] }) if @{ $step->[0] };
				shows($step->[1], "@{ $step->[0] }");
			}
		};
	}
}
stop();

done_testing;
