# SPDX-License-Identifier: MIT
# Makes hosts: each is a trace in the text form of ftrace, of a thread that computes, reads from a disk and may wait for a thread "keeper".  Each host
# has its own clock and speed and, on request, a planted cause.  The truth about planted causes comes from numbers that wakepath never sees.
package Fleet;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(made_host);

# Pseudo-random numbers that are the same everywhere: a linear congruential generator (Knuth, MMIX).
my $state = 1;
sub uniform { use integer; $state = $state * 6364136223846793005 + 1442695040888963407; no integer; return ((($state >> 33) & 0x7fffffff) + 0.5) / 2147483648 }
sub normal { return sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform()) }

# Write the trace of a host to PATH.  %o: seed; iterations (200); disk: factor by which the disk is slower; hog: how often a program "backup" takes the
# CPU for 3 ms; keeper: 1 for a thread "keeper" and an interrupt of a card; and only with keeper: lock: factor by which the thread waits longer for
# "keeper"; storm: number of consecutive interrupts of 300 us before the thread runs again.  Returns the sums { disk, hog, lock, storm } in us, planted
# or not, and { reads }, a count.
sub made_host {
	my ($path, %o) = @_;
	$state = 77 + 1000003 * $o{seed};
	uniform() for 1 .. 8;
	my $speed = exp(0.1 * normal());
	my $now = 1000 + int(uniform() * 1e6);	# s, the host's own clock
	my ($us, %truth) = (0, disk => 0, hog => 0, reads => 0, lock => 0, storm => 0);
	my $n = $o{iterations} // 200;
	my %hogs = map { int($_ * $n / ($o{hog} || 1)) => 1 } 0 .. ($o{hog} // 0) - 1;
	open my $f, '>', $path or die "$path: $!";
	my $say = sub {
		my ($who, $flags, $what) = @_;
		printf $f "%16s-%-7d [000] %s %12.6f: %s\n", @$who, $flags, $now + int($us + 0.5) / 1e6, $what;
	};
	my ($idle, $work, $hog, $keep) = (['<idle>', 0], ['worker', 101], ['backup', 202], ['keeper', 303]);
	my $switch = sub {
		my ($from, $state, $to) = @_;
		$say->($from, 'd..2.', sprintf 'sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120',
			($from->[1] ? $from->[0] : 'swapper/0'), $from->[1], $state, ($to->[1] ? $to->[0] : 'swapper/0'), $to->[1]);
		$us += 1 + 2 * uniform();
	};
	my $wake = sub { $say->($_[0], $_[1], "$_: comm=$_[2][0] pid=$_[2][1] prio=120 target_cpu=000"), $us += 1 for qw(sched_waking sched_wakeup) };
	print $f "# tracer: nop\n#\n# entries-in-buffer/entries-written: 1/1   #P:1\n#\n";
	$switch->($idle, 'R', $work);
	for my $i (1 .. $n) {
		$us += 200 * $speed * exp(0.3 * normal());
		if ($hogs{$i}) {
			my $from = $us;
			$say->($work, 'd.h1.', 'hrtimer_expire_entry: hrtimer=00000000c0ffee00 function=hrtimer_wakeup now=1');
			$wake->($work, 'd.h2.', $hog);
			$say->($work, 'd.h1.', 'hrtimer_expire_exit: hrtimer=00000000c0ffee00');
			$us += 1;
			$switch->($work, 'R', $hog);
			$us += 3000 * exp(0.1 * normal());
			$say->($hog, 'd..1.', 'hrtimer_start: hrtimer=00000000c0ffee00 function=hrtimer_wakeup expires=1 softexpires=1 mode=ABS');
			$us += 1;
			$switch->($hog, 'S', $work);
			$truth{hog} += $us - $from;
		}
		if ($o{keeper} && $i % 2) {
			$wake->($work, 'd..2.', $keep);
			my $from = $us;
			$switch->($work, 'S', $keep);
			$us += 100 * $speed * ($o{lock} // 1) * exp(0.3 * normal());
			$wake->($keep, 'd..2.', $work);
			$switch->($keep, 'S', $work);
			$truth{lock} += $us - $from;
		}
		my $read = sprintf '8,0 %s 4096 () %d + 8 [%s]', 'R', 1000 + 8 * $i, 'worker';
		$say->($work, '.....', "block_rq_issue: $read");
		$us += 2;
		my $from = $us;
		$switch->($work, 'D', $idle);
		$us += 1000 * $speed * ($o{disk} // 1) * exp(0.4 * normal());
		$say->($idle, 'd.h1.', 'irq_handler_entry: irq=30 name=ahci');
		$us += 2;
		$say->($idle, '..s1.', sprintf 'block_rq_complete: 8,0 %s () %d + 8 [0]', 'R', 1000 + 8 * $i);
		$us += 2;
		$wake->($idle, 'd.h2.', $work);
		$say->($idle, 'd.h1.', 'irq_handler_exit: irq=30 ret=handled');
		$us += 2;
		for (1 .. ($o{keeper} && $i % 4 == 0 ? $o{storm} // 1 : 0)) {
			my $from = $us;
			$say->($idle, 'd.h1.', 'irq_handler_entry: irq=44 name=eth9');
			$us += $o{storm} ? 300 : 3;
			$say->($idle, 'd.h1.', 'irq_handler_exit: irq=44 ret=handled');
			$us += 1;
			$truth{storm} += $us - $from;
		}
		$switch->($idle, 'R', $work);
		$truth{disk} += $us - $from;
		$truth{reads}++;
	}
	close $f or die "$path: $!";
	return \%truth;
}

1;
