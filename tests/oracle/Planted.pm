# SPDX-License-Identifier: MIT
package Planted;

# Traces of some hundred requests, equal except for the noise of each step. A share of them has one planted cause: more time on the CPU, a queue for it, a
# real-time thread, an extra query to another thread, a lock. The truth comes with them: the critical path of each request, and which requests have the cause.
#
#	client (CPU 0)  mark, runs, asks, waits                            runs, mark
#	server (CPU 1)        waits for its CPU, runs, reads from the disk, runs, asks db, runs, answers
#	db     (CPU 2)                                                       runs
#	CPU 3: other threads (a cache that is queried, a holder of a lock)

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../oracle";
use Made;

our @NOISE = qw(normal exponential lognormal pareto);
our @CAUSES = qw(cpu queue preempt hop lock);

my ($u32, $i32, $u64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'false'];
my $text = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
Made::also(made_request => [ "$text colour[8];", 'a8' ], lttng_logger => [ "$u64 __msg_length; $text msg[__msg_length];", 'Q<a*' ],
	block_rq_issue => [ "$u32 dev; $u64 sector; $u32 nr_sector; $u32 bytes; $i32 tid; $u32 rwbs; $text comm[16];", 'L<Q<L<L<l<L<a16' ],
	power_cpu_frequency => [ "$u32 state; $u32 cpu_id;", 'L<L<' ],	# of power.h: kHz, of that CPU
	block_rq_complete => [ "$u32 dev; $u64 sector; $u32 nr_sector; $i32 error; $u32 rwbs;", 'L<Q<L<l<L<' ]);

our $EPOCH = 1700000000;
my %tid = (client => 100, server => 200, db => 300, batch => 400, rt => 500, cache => 600, holder => 700);
my %cpu = (client => 0, server => 1, db => 2, batch => 1, rt => 1, cache => 3, holder => 3);
my $gap = 500;	# ns from a wake-up until its sender leaves its CPU

# ---- noise ----

my %draw = (
	normal => sub { my $x = 1 + 0.25 * sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand); return $x < 0.05 ? 0.05 : $x },
	exponential => sub { return -log(1 - rand) },
	lognormal => sub { return exp(0.6 * sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand) - 0.18) },
	pareto => sub { return 2 / 3 * (1 - rand) ** (-1 / 3) },	# alpha 3, of mean 1
);
my %cv = (normal => 0.25, exponential => 1, lognormal => sqrt(exp(0.36) - 1), pareto => sqrt(1 / 3));

# Average duration of each step, ns. Each has the noise of the trace; the waits for a CPU are included.
my %mean = (ask => 120_000, arrive => 30_000, parse => 300_000, disk => 500_000, read => 20_000, work => 400_000, reach => 30_000, db => 450_000, back => 30_000,
	reply => 250_000, answer => 30_000, use => 120_000);

# The standard deviation of a request's duration without a cause, ns.
sub spread { my ($noise) = @_; my $sum = 0; $sum += ($cv{$noise} * $_) ** 2 for values %mean; return sqrt $sum }

# ---- one trace ----

my (@events, @path);	# all events; of this request [who, what, ns]
my ($now, $ticks);
my (%khz, $ran, $cycles);	# speed of each CPU, if known; ns of this request on such CPUs, and ns x kHz
our ($FULL, $LOW) = (3_000_000, 1_200_000);	# kHz
sub ev { push @events, [@_] }
sub prio { return $_[0] eq 'rt' ? -51 : 20 }
sub on { my ($cpu, $time, $from, $state, $to) = @_;
	my @two = map { $_ ? ($_, $tid{$_}, prio($_)) : ("swapper/$cpu", 0, 20) } $from, $to;
	ev($time, $cpu, 'sched_switch', @two[0 .. 2], $state, @two[3 .. 5]);
}
sub wake { my ($cpu, $time, $who) = @_; ev($time, $cpu, 'sched_waking', $who, $tid{$who}, prio($who), $cpu{$who}); ev($time + 200, $cpu, 'sched_wakeup', $who, $tid{$who}, prio($who), $cpu{$who}) }
sub spend {
	my ($who, $what, $until) = @_;
	my $ns = $until - $now;
	push @path, [$who, $what, $ns];
	$now = $until;
	return if $what ne 'running' || !$khz{$cpu{$who}};
	$ran += $ns;
	$cycles += $ns * $khz{$cpu{$who}};
}
# CPU gets that frequency from now on; CPU 3 changes it.
sub clock { my ($cpu, $khz) = @_; return if ($khz{$cpu} // 0) == $khz; ev($now, 3, 'power_cpu_frequency', $khz, $cpu); $khz{$cpu} = $khz }
# The server runs for NS; with ticks, a short interrupt may occur.
sub serve {
	my ($ns) = @_;
	if ($ticks && $ns > 1000 && rand() < 0.3) {
		my $part = int(rand $ns);
		spend('server', 'running', $now + $part);
		ev($now, 1, 'irq_handler_entry', 32, 'timer');
		spend('server', 'interrupted', $now + 800);
		ev($now, 1, 'irq_handler_exit', 32, 1);
		$ns -= $part;
	}
	spend('server', 'running', $now + $ns);
}
sub mark { my ($words) = @_; ev($now, 0, 'lttng_logger', length $words, $words) }

# WHO has queried TO at $now, and runs on a little; TO gets its CPU WAIT later.
sub ask {
	my ($who, $to, $wait) = @_;
	wake($cpu{$who}, $now, $to);
	my $asked = $now;
	spend($who, 'running', $now + $gap);
	on($cpu{$who}, $now, $who, 1, '');
	return $asked + $gap + $wait;
}

# WHO wakes TO, which had queried it, and is done; TO gets its CPU WAIT later.
sub give_back {
	my ($who, $to, $wait) = @_;
	wake($cpu{$who}, $now, $to);
	on($cpu{$who}, $now + $gap, $who, 1, '');
	spend($to, 'wait-cpu', $now + $gap + $wait);
	on($cpu{$to}, $now, '', 0, $to);
}

sub interrupt { my ($cpu, $time, $line, $name, $wakes) = @_;
	ev($time, $cpu, 'irq_handler_entry', $line, $name);
	wake($cpu, $time + 900, $wakes);
	ev($time + 1200, $cpu, 'irq_handler_exit', $line, 1);
}

sub disk {
	my ($request, $takes, $wait) = @_;
	my ($dev, $sector) = (254 << 20, 8 * $request);
	ev($now, 1, 'block_rq_issue', $dev, $sector, 8, 4096, $tid{server}, 0, 'server');
	spend('server', 'running', $now + 700);
	on(1, $now, 'server', 2, '');
	spend('disk', 'block', $now + $takes);
	ev($now + 300, 1, 'block_rq_complete', $dev, $sector, 8, 0, 0);
	interrupt(1, $now, 30, 'vda', 'server');
	spend('disk', 'irq', $now + 900);
	spend('server', 'wait-cpu', $now + 800 + $wait);
	on(1, $now, '', 0, 'server');
}

# The cause CAUSE, of AMOUNT ns, while the server works.
sub work {
	my ($cause, $amount, $n) = @_;
	if ($cause eq 'cpu') {
		spend('server', 'running', $now + $amount);
	} elsif ($cause eq 'preempt') {
		interrupt(1, $now, 31, 'rtdev', 'rt');
		spend('server', 'interrupted', $now + 1200);
		spend('server', 'running', $now + 300);
		on(1, $now, 'server', 0, 'rt');
		spend('server', 'preempted', $now + $amount);
		on(1, $now, 'rt', 1, 'server');
	} elsif ($cause eq 'flush') {	# most of it is the server's own time, in a call that asks one more thread for the rest
		spend('server', 'running', $now + 3 * $amount);
		work('hop', int($amount / 4), $n);
	} elsif ($cause eq 'hop') {
		my $at = ask('server', 'cache', n('reach', $n));
		spend('cache', 'wait-cpu', $at);
		on(3, $now, '', 0, 'cache');
		spend('cache', 'running', $now + $amount);
		give_back('cache', 'server', n('back', $n));
	} elsif ($cause eq 'lock') {
		wake(3, $now - 30_000, 'holder');
		on(3, $now - 20_000, '', 0, 'holder');
		on(1, $now, 'server', 1, '');
		spend('holder', 'running', $now + $amount);
		give_back('holder', 'server', n('back', $n));
	}
}

# A random duration of STEP with noise N, ns.
sub n { my ($step, $noise) = @_; return 1 + int($mean{$step} * $draw{$noise}->()) }

sub request {
	my ($number, $noise, $cause, $amount, $rounds, $clock) = @_;
	@path = ();
	$ran = $cycles = 0;
	clock(1, $cause eq 'frequency' ? $LOW : $FULL) if $clock eq 'slows';
	my $begun = $now;
	mark("request begin $number");
	ev($now + 40, 0, 'made_request', $number % 3 ? 'blue' : 'red');	# affects nothing
	spend('client', 'running', $now + n('ask', $noise));
	my $queued = $cause eq 'queue';
	if ($queued) {
		wake(3, $now - 25_000, 'batch');
		on(1, $now - 20_000, '', 0, 'batch');
	}
	my $at = ask('client', 'server', n('arrive', $noise) + ($queued ? $amount : 0));
	spend('server', 'wait-cpu', $at);
	on(1, $now, $queued ? 'batch' : '', $queued ? 1 : 0, 'server');
	serve(n('parse', $noise));
	disk($number, n('disk', $noise), n('read', $noise));
	my $half = int(n('work', $noise) / 2 * ($cause eq 'frequency' ? 3 * $FULL / $LOW : 1)) + 1;
	serve($half);
	if ($clock eq 'changes') { clock($_, $LOW + int rand($FULL - $LOW)) for 0 .. 2 }
	work($cause, $amount, $noise) if $cause;
	serve($half);
	my $asks = $rounds > 1 ? 1 + int rand $rounds : 1;
	for (1 .. $asks) {
		$at = ask('server', 'db', n('reach', $noise));
		spend('db', 'wait-cpu', $at);
		on(2, $now, '', 0, 'db');
		spend('db', 'running', $now + n('db', $noise));
		give_back('db', 'server', n('back', $noise));
		serve(n('reply', $noise));
	}
	give_back('server', 'client', n('answer', $noise));
	spend('client', 'running', $now + n('use', $noise));
	mark("request end $number");
	return { number => $number, from => $EPOCH * 1_000_000_000 + $begun, to => $EPOCH * 1_000_000_000 + $now, planted => $cause ? $amount : 0, path => [@path],
		khz => $ran ? $cycles / $ran : undef };
}

# A trace in the folder PATH, of { seed, requests: 1000, noise: one of @NOISE, cause: one of @CAUSES or '', share: of the requests that have it, size: how many standard
# deviations of a request it takes (6), host, copies: see Made,
# plan: the cause of each request by its number, instead of cause and share,
# rounds: the server asks db up to so often, ticks: short interrupts come upon the server, frequency: 'slows', with the cause 'frequency' the server's CPU has a low one and
# works longer, 'changes', it goes up and down without effect; lost: events are lost after so many requests }. Returns the requests, in order; PATH.truth has them as text.
sub made {
	my ($path, %of) = @_;
	my ($requests, $noise, $cause) = ($of{requests} // 1000, $of{noise} // $NOISE[$of{seed} % 4], $of{cause} // '');
	srand($of{seed} * 7919 + 17);
	@events = ();
	$ticks = $of{ticks};
	$now = 1_000_000_000;
	on(0, $now - 60_000, '', 0, 'client');
	on($cpu{$_}, $now - 50_000, $_, 1, '') for qw(server db holder);
	my @with = (0) x $requests;
	my $some = int($requests * ($of{share} // 0) + 0.5);
	for (1 .. $some) { my $i; do { $i = int rand $requests } while $with[$i]; $with[$i] = 1 }
	my $size = ($of{size} // 6) * spread($noise);
	my (@all, @lost);
	%khz = ();
	if ($of{frequency}) { clock($_, $of{frequency} eq 'slows' ? $FULL : $LOW + int rand($FULL - $LOW)) for 0 .. 2 }
	for my $i (0 .. $requests - 1) {
		my $amount = int($size * (0.9 + 0.2 * rand));
		# After lost events it is unknown which thread the client waited for: only its own CPU counts, from where that is known
		# again.
		my $since = $of{lost} ? $i - $of{lost} : -1;
		clock(0, $FULL) if $since == 50;
		push @all, request($i, $noise, $of{plan} ? $of{plan}{$i} // '' : $with[$i] ? $cause : '', $amount, $of{rounds} // 1, $of{frequency} // '');
		$all[-1]{khz} = $since < 50 ? undef : $FULL if $since >= 0;
		if ($i + 1 == ($of{lost} // 0)) {	# any frequency may have changed by now
			@lost = (lost => { 3 => [$now + 10_000, $now + 30_000] });
			ev($now + 20_000, 3, 'made_request', 'lost');
			%khz = ();
		}
		$now += 60_000 + int(100_000 * rand);
	}
	on(0, $now, 'client', 1, '');
	Made::trace($path, { host => $of{host} // 'made', epoch => $EPOCH, copies => $of{copies}, @lost }, @events);
	open my $out, '>', "$path.truth" or die "$path.truth: $!";
	print $out "# $noise, ", ($cause || 'no cause'), "\n";
	print $out join(' ', @$_{qw(number from to planted)}, map { join ':', @$_ } @{ $_->{path} }), "\n" for @all;
	close $out or die "$path.truth: $!";
	return @all;
}


# ---- the truth about two sets ----

# The set of all requests between their marks, and the name of the step that CAUSE puts on the path: [who, kind].
our $SET = 'between:lttng_logger[msg=request begin*]..lttng_logger[msg=request end*]';
our %STEP = (cpu => ['server', 'running'], queue => ['server', 'wait-cpu'], preempt => ['server', 'preempted'], hop => ['cache', 'running'], lock => ['holder', 'running']);

sub took { return $_[0]{to} - $_[0]{from} }

# ns that WHO spent with WHAT in REQUEST.
sub spent { my ($request, $who, $what) = @_; my $sum = 0; $sum += $_->[2] for grep { $_->[0] eq $who && $_->[1] eq $what } @{ $request->{path} }; return $sum }

# The mean of CODE over the requests, not rounded.
sub mean { my ($code, @requests) = @_; my $sum = 0; $sum += $code->() for @requests; return $sum / @requests }

1;
