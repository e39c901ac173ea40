#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Guests made here with known clocks: two machines on one host, one with two virtual CPUs, one that takes turns with it on a CPU; clocks that are hours
# apart and drift; a stranger that is the guest of another host. The guest of each machine, and each clock, follow from the stays inside alone. Then two
# guests that take the CPU from each other: the losses of each, and the takers, including the threads of the other guest.
use strict;
use warnings;
use FindBin;
use lib "$ENV{TOP}/tests/tools", $FindBin::Bin;
use Wake;
use Inside;
use Made;
use Math::BigFloat;
use Test::More;

my $second = 1000000000;

# A trace of HOST, whose clock is 0 at 1970 plus EPOCH seconds; returns its folder.
sub trace { my ($host, $epoch, @events) = @_; return Made::trace("$ENV{TMPDIR}/$host", { host => $host, epoch => $epoch }, @events) }

sub between { my ($least, $most) = @_; return $least + int rand($most - $least) }

sub switch_of { my ($time, $cpu, $from, $state, $to) = @_; return [$time, $cpu, 'sched_switch', "t$from", $from, 20, $state, "t$to", $to, 20] }

# Events from FROM on while thread TID runs CPU of a guest for some stays on host CPU ON, added to HOST and GUEST (by the host's clock). Returns when it
# halts.
sub burst {
	my ($host, $guest, $from, $on, $tid, $cpu) = @_;
	my $t = $from + between(2000, 20000);
	my $stays = between(1, 12);
	push @$host, switch_of($from, $on, 0, 0, $tid);
	for my $stay (1 .. $stays) {
		my $ends = $t + between(20000, rand() < 0.3 ? 2000000 : 200000);
		push @$host, [$t, $on, 'kvm_x86_entry', 7];
		# It takes 2 to 15 us to get into the guest and back to its tracer.
		my ($a, $b) = ($t + between(2000, 15000) / 2, $ends - between(2000, 15000) / 2);
		push @$guest, [int $a, $cpu, 'x86_irq_vectors_local_timer_entry', 236], [int($a) + 500, $cpu, 'x86_irq_vectors_local_timer_exit', 236];
		push @$guest, switch_of(int($a) + 900, $cpu, 0, 0, 100 + $cpu) if $stay == 1;
		push @$guest, switch_of(int($b), $cpu, 100 + $cpu, 1, 0) if $stay == $stays;
		push @$host, [$ends - 300, $on, 'x86_irq_vectors_local_timer_entry', 236], [$ends - 100, $on, 'x86_irq_vectors_local_timer_exit', 236] if $stay < $stays;
		push @$host, [$ends, $on, 'kvm_x86_exit', $stay < $stays ? 0x60 : 0x78, 2];
		$t = $ends + between(3000, 40000);
	}
	push @$host, switch_of($t, $on, $tid, 1, 0);
	return $t;
}

# Bursts of the virtual CPUs [TID, guest's CPU, list of the guest's events] in turn on host CPU ON, for some seconds.
sub busy {
	my ($host, $on, $seconds, @vcpus) = @_;
	my ($t, $i) = ($second, 0);
	while ($t < (1 + $seconds) * $second) {
		my ($tid, $cpu, $guest) = @{ $vcpus[$i++ % @vcpus] };
		push @$host, [$t, $on, 'sched_waking', "t$tid", $tid, 20, $on];
		$t = burst($host, $guest, $t + 1000, $on, $tid, $cpu) + between(50000, rand() < 0.2 ? 20000000 : 1500000);
	}
}

# The guest's EVENTS in [FROM, TO) of the host, by its own clock, which is SHIFT ns ahead at the first second and runs faster by PPM.
sub own_clock {
	my ($shift, $ppm, $from, $to, @events) = @_;
	return Made::by_clock($second, $shift, $ppm, grep { $_->[0] >= $from && $_->[0] < $to } @events);
}

# The error of CLOCK at the host's time T (ns since 1970), if the guest's clock is SHIFT ahead at 1970 + OFFSET + 1 s, and runs faster by PPM.
sub off {
	my ($clock, $offset, $t, $shift, $ppm) = @_;
	local $Math::BigFloat::accuracy = 60;
	my $guest = $offset * $second + $t + $shift + int(($t - $second) * $ppm / 1e6);
	return abs(Math::BigFloat->new($clock->{slope})->bmul($guest)->badd($clock->{offset_ns})->bsub($offset * $second + $t)->numify);
}

srand(20);
my (@host, @one, @two, @elsewhere, @stranger);
push @host, map { my ($tid, $pid, $name) = @$_; [$second - 1000 + $tid, 0, 'lttng_statedump_process_state', $tid, $pid, 1, $name, 0, 5, 0, 5, 0] }
	[10, 10, 'qemu-one'], [11, 10, 't11'], [12, 10, 't12'], [20, 20, 'qemu-two'], [21, 20, 't21'];
busy(\@host, 0, 4, [11, 0, \@one], [21, 0, \@two]);
busy(\@host, 1, 4, [12, 1, \@one]);
busy(\@elsewhere, 0, 4, [31, 0, \@stranger]);

my $epoch = 1700000000;
my %truth = (one => [7200, 12345, 40, 1.5, 4.5], two => [-86400, -777, -25, 1, 5]);	# seconds, ns and ppm ahead; recorded from, to
my $host = trace('host', $epoch, @host);
my %guest = map { my ($hours, $shift, $ppm, $from, $to) = @{ $truth{$_} };
	($_ => trace($_, $epoch + $hours, own_clock($shift, $ppm, $from * $second, $to * $second, @{ { one => \@one, two => \@two }->{$_} }))) } keys %truth;
my $stranger = trace('stranger', $epoch, own_clock(3600, 5, $second, 5 * $second, @stranger));

my $r = wakepath('machines', $host, $guest{two}, $stranger, $guest{one}, '--format', 'json');
is($r->{status}, 0, 'machines answers') or diag($r->{err});
my @machines = sort { $a->{pid} <=> $b->{pid} } @{ json_of($r)->{machines} };
is(join(', ', map { "$_->{pid} $_->{name}" } @machines), '10 qemu-one, 20 qemu-two', 'there are two machines');
is(join(', ', map { $_->{guest} // '-' } @machines), 'one, two', 'each machine has its guest');
is(join(', ', map { my $m = $_; map { "$_->{tid}=" . ($_->{guest_cpu} // '-') } sort { $a->{tid} <=> $b->{tid} } @{ $m->{vcpus} } } @machines), '11=0, 12=1, 21=0', 'each virtual CPU has its CPU of the guest');
# A thread's wait for a CPU before its first entry is not counted as one of a virtual CPU.
is(join(' ', map { my $sum = 0; $sum += $_->{time} for @{ $_->{by} }; $sum } map { @{ $_->{vcpus} } } @machines), join(' ', map { $_->{preempted} } map { @{ $_->{vcpus} } } @machines), 'the holders of the CPU add up to the preempted time');
for my $m (@machines) {
	my $clock = $m->{clock};
	ok($clock, "$m->{name}: its clock is found") or next;
	my ($hours, $shift, $ppm, $from, $to) = @{ $truth{ $m->{guest} } };
	is($clock->{events_outside}, 0, "$m->{guest}: no event is outside");
	cmp_ok($clock->{error_ns_max}, '<', 20000, "$m->{guest}: the error is below 20 us");
	cmp_ok(off($clock, $epoch, int($_ * $second), $hours * $second + $shift, $ppm), '<=', $clock->{error_ns_max}, "$m->{guest}: the clock is right at $_ s") for $from, ($from + $to) / 2, $to;
}
my %quality = map { $_->{host} => $_->{quality} } @{ json_of(wakepath('sync', $host, $guest{two}, $stranger, $guest{one}, '--format', 'json'))->{hosts} };
is($quality{stranger}, 'absent', 'the stranger is a guest of no machine');

# A host without KVM events: names of threads, as monitors give them to virtual CPUs, show that there are some.
my $advice = sub { return map { $_->{command} } grep { $_->{event} eq 'kvm_*' } map { @{ $_->{advice} } } @{ json_of(wakepath('info', $_[0], '--format', 'json'))->{traces} } };
my $silent = trace('silent', $epoch, [$second, 0, 'sched_switch', 'swapper/0', 0, 20, 0, 'CPU 0/KVM', 30, 20], [2 * $second, 0, 'sched_switch', 'CPU 0/KVM', 30, 20, 1, 'swapper/0', 0, 20]);
is(join(', ', $advice->($silent)), "lttng enable-event -k 'kvm_*'", 'info says how to record KVM');
is(join(', ', $advice->($host)), '', 'info gives no such advice if KVM was recorded');
is(join(', ', $advice->($stranger)), '', 'info gives no such advice if no machine runs');
# ---- two guests that take the CPU from each other ----

# The virtual CPUs run in turn, exit and enter their guests, and are switched out runnable. In each guest two threads take turns. Recorded events go to
# HOST and to GUEST->{events} of each, times inside and preempted to its lists.
sub fight {
	my ($host, $seconds, @guests) = @_;
	my ($t, $i) = ($second, 0);
	my $before = { tid => 0 };
	while ($t < (1 + $seconds) * $second) {
		my $g = $guests[$i++ % @guests];
		push @$host, switch_of($t, 0, $before->{tid}, 0, $g->{tid});
		$before->{out} = $t;
		push @{ $g->{preempted} }, [$g->{out}, $t] if $g->{out};
		for (1 .. between(1, 6)) {
			my ($from, $to) = ($t + between(2000, 9000), $t + between(200000, 1200000));
			push @$host, [$from, 0, 'kvm_x86_entry', 7], [$to, 0, 'kvm_x86_exit', 0x60, 2];
			push @{ $g->{inside} }, [$from, $to];
			my ($in, $out) = ($from + between(2000, 9000), $to - between(2000, 9000));
			push @{ $g->{events} }, [$in, 0, 'x86_irq_vectors_local_timer_entry', 236], [$in + 500, 0, 'x86_irq_vectors_local_timer_exit', 236];
			if (rand() < 0.7) {
				my $next = $g->{next}++ % 2;
				push @{ $g->{events} }, switch_of($out, 0, $g->{threads}[!$next], 0, $g->{threads}[$next]);
			}
			$t = $to + between(1000, 6000);
		}
		$before = $g;
	}
	push @$host, switch_of($t, 0, $before->{tid}, 1, 0);
	push @{ $_->{preempted} }, [$_->{out}, $t] for grep { $_ != $before } @guests;
}

my ($red, $blue) = ({ name => 'red', tid => 41, threads => [142, 141] }, { name => 'blue', tid => 51, threads => [152, 151] });
my @arena = map { my ($tid, $pid, $name) = @$_; [$second - 1000 + $tid, 0, 'lttng_statedump_process_state', $tid, $pid, 1, $name, 0, 5, 0, 5, 0] }
	[40, 40, 'qemu-red'], [41, 40, 't41'], [50, 50, 'qemu-blue'], [51, 50, 't51'];
fight(\@arena, 3, $red, $blue);
my @both = (trace('arena', $epoch, @arena), map { trace($_->{name}, $epoch + $_->{tid} * 100, own_clock($_->{tid}, $_->{tid} - 45, 0, 9 * $second, @{ $_->{events} })) } $red, $blue);
my %clock = map { $_->{host} => $_ } @{ json_of(wakepath('sync', @both, '--format', 'json'))->{hosts} };

# The thread on the CPU of G's guest, by the clock in use: [from, to, TID], from its first event to the last.
sub turns_of {
	my ($g) = @_;
	my $own = ($epoch + $g->{tid} * 100) * $second;
	my @events = own_clock($g->{tid}, $g->{tid} - 45, 0, 9 * $second, @{ $g->{events} });
	my $line = Inside::line({ at => $own }, @{ $clock{ $g->{name} } }{qw(slope offset_ns)});
	my ($from, @turns) = Inside::told($line, $own + $events[0][0]);
	my $has;
	for (grep { $_->[2] eq 'sched_switch' } @events) {
		my $to = Inside::told($line, $own + $_->[0]);
		push @turns, [$from, $to, $_->[4]];
		($from, $has) = ($to, $_->[8]);
	}
	return @turns, [$from, Inside::told($line, $own + $events[-1][0]), $has];
}

sub overlap {
	my ($a, $b) = @_;
	my ($from, $to) = ($a->[0] > $b->[0] ? $a->[0] : $b->[0], $a->[1] < $b->[1] ? $a->[1] : $b->[1]);
	return $to > $from ? $to - $from : 0;
}

# The part of [from, to, …] in WINDOW; the lists here are of the host's clock since the epoch.
sub clip { my ($w, @list) = @_; return map { my $p = $_; overlap($p, $w) ? [$p->[0] > $w->[0] ? $p->[0] : $w->[0], $p->[1] < $w->[1] ? $p->[1] : $w->[1], @$p[2 .. $#$p]] : () } @list }

sub shown { return map { [$_->[0] + $epoch * $second, $_->[1] + $epoch * $second] } @_ }

$_->{turns} = [turns_of($_)] for $red, $blue;
my $whole = json_of(wakepath('info', @both, '--format', 'json'));
for my $window ([$whole->{from}, $whole->{to} + 1], [($epoch + 2) * $second + 12345, ($epoch + 2) * $second + 423456789]) {
	my @asked = ('--from', $window->[0], '--to', $window->[1]);
	my @found = @{ json_of(wakepath('machines', @both, @asked, '--format', 'json'))->{machines} };
	for ([$red, $blue], [$blue, $red]) {
		my ($own, $other) = @$_;
		my ($m) = grep { ($_->{guest} // '') eq $own->{name} } @found;
		ok($m, "$own->{name}: the machine is found") or next;
		my @waits = clip($window, shown(@{ $own->{preempted} }));
		my (%by, %lost);
		for my $wait (@waits) {
			my %here = ('-' => $wait->[1] - $wait->[0]);
			for (@{ $other->{turns} }) {
				my $part = overlap($wait, $_) or next;
				$here{ $_->[2] } += $part;
				$here{'-'} -= $part;
			}
			for (grep { $here{$_} } keys %here) {
				$by{$_}[0]++;
				$by{$_}[1] += $here{$_};
				$by{$_}[2] = $here{$_} if $here{$_} > ($by{$_}[2] // 0);
			}
		}
		my %said = map { ($_->{guest_tid} // '-') => [@$_{qw(count time worst)}] } @{ $m->{vcpus}[0]{by} };
		is_deeply(\%said, \%by, "$own->{name}: each thread of $other->{name} has the time that it took") or diag(explain([\%said, \%by]));
		is(join(' ', map { "$_->{tid} $_->{host} " . ($_->{guest} // '-') } @{ $m->{vcpus}[0]{by} }[0, 1]), join(' ', ("$other->{tid} arena $other->{name}") x 2), '... as its virtual CPU');
		is_deeply([map { $_->{time} } @{ $m->{vcpus}[0]{by} }], [sort { $b <=> $a } map { $_->[1] } values %by], '... the largest time comes first');

		my $first = $own->{inside}[0][0] + $epoch * $second;
		my @inside = shown(@{ $own->{inside} });
		for my $turn (clip($window, @{ $own->{turns} })) {
			my $preempted = 0;
			my $in = $turn->[0] < $first ? ($turn->[1] < $first ? $turn->[1] : $first) - $turn->[0] : 0;
			$preempted += overlap($turn, $_) for @waits;
			$in += overlap($turn, $_) for @inside;
			my $sum = $lost{ $turn->[2] } //= { inside => 0, 'vcpu-preempted' => 0, 'vcpu-exit' => 0 };
			$sum->{inside} += $in;
			$sum->{'vcpu-preempted'} += $preempted;
			$sum->{'vcpu-exit'} += $turn->[1] - $turn->[0] - $in - $preempted;
		}
		my %told = map { my $l = $_; $l->{tid} => { map { ($_ => $l->{$_}) } qw(inside vcpu-preempted vcpu-exit) } } @{ $m->{threads} };
		is_deeply(\%told, \%lost, "$own->{name}: the losses of each of its threads are right") or diag(explain([\%told, \%lost]));
		my %all;
		for my $l (values %lost) { $all{$_} += $l->{$_} for keys %$l }
		delete @$_{qw(worst worst_at)} for $m->{all}, @{ $m->{cpus} };
		is_deeply($m->{all}, \%all, '... and so is their sum');
		is_deeply($m->{cpus}, [{ cpu => 0, %all }], '... and the loss of its CPU');
		cmp_ok($all{'vcpu-preempted'}, '>', 0.3 * ($window->[1] > ($epoch + 5) * $second ? 3 * $second : $window->[1] - $window->[0]), '... it lost much');
	}
}

# One loss, queried from within the guest.
my ($lost) = grep { my $l = $_; 2 == grep { overlap($l, $_) > 100000 } @{ $blue->{turns} } } (shown(@{ $red->{preempted} }))[50 .. 400];
my %taken;
for (@{ $blue->{turns} }) { my $o = overlap($lost, $_); $taken{ $_->[2] } += $o if $o }
my ($whose) = map { $_->[2] } grep { $_->[0] <= $lost->[0] && $_->[1] >= $lost->[1] } @{ $red->{turns} };
my $why = json_of(wakepath('why', @both, '--thread', "red/$whose", '--from', $lost->[0], '--to', $lost->[1], '--format', 'json'));
my %parts = map { join(' ', map { $_ // '-' } @$_{qw(what phase host tid guest guest_tid)}) => $_->{time} } @{ $why->{blame} };
is_deeply(\%parts, { map { ("vcpu stolen arena 51 blue $_" => $taken{$_}) } keys %taken }, 'why names both threads of blue that had the CPU of a thread of red') or diag(explain(\%parts));
# The loss of the thread of its virtual CPU.
my $host_why = json_of(wakepath('why', @both, '--thread', 'arena/41', '--from', $lost->[0], '--to', $lost->[1], '--format', 'json'));
my %host_parts = map { join(' ', map { $_ // '-' } @$_{qw(what host tid guest guest_tid)}) => $_->{time} } @{ $host_why->{blame} };
is_deeply(\%host_parts, { map { ("thread arena 51 blue $_" => $taken{$_}) } keys %taken }, '… also for the thread of its virtual CPU') or diag(explain(\%host_parts));
done_testing;
