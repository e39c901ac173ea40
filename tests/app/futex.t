#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Futexes that a waker released: each sched_waking that babeltrace2 prints between the entry and the exit of a futex call of the running thread, with
# the futex that the woken thread's own call waits for; and for ten waits all their values, looked up by hand.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use JSON::PP ();
use Wake;
use Test::More;

local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};

# From the text: "TID TIME" => [address, time of the waiter's entry, of the waker's]; and all threads that called futex(2).
sub witness {
	my ($trace) = @_;
	my (%current, %call, %found, %asked);
	open my $f, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
	while (<$f>) {
		my ($s, $ns, $event, $cpu, $fields) = /^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+) \}(?:, \{[^{}]*\})?, \{(.*)\}/ or next;
		my $time = "$s$ns";
		my $tid = $current{$cpu};
		if ($event eq 'sched_switch') {
			($current{$cpu}) = $fields =~ /next_tid = (\d+)/;
		} elsif ($event eq 'syscall_entry_futex' && defined $tid) {
			my ($address, $op) = $fields =~ /\buaddr = (\d+), op = (\d+)/;
			$call{$tid} = { address => $address, op => $op & 127, private => $op & 128, time => $time };
			$asked{$tid} = 1;
		} elsif ($event =~ /^syscall_/ && defined $tid) {
			delete $call{$tid};
		} elsif ($event eq 'sched_waking' && defined $tid) {
			my ($woken) = $fields =~ /, tid = (\d+)/;
			my ($wait, $wake) = @call{$woken, $tid};
			$found{"$woken $time"} = [sprintf('0x%x', $wait->{address}), $wait->{time}, $wake->{time}]
				if $wait && $wake && ($wait->{op} == 0 || $wait->{op} == 9) && ($wake->{op} == 1 || $wake->{op} == 5)
				&& $wait->{private} && $wake->{private} && $wait->{address} == $wake->{address};
		}
	}
	close $f;
	return (\%found, sort { $a <=> $b } keys %asked);
}

my @traces = (sample('lockfight'), grep { -d } map { "$ENV{SHARED_TRACES}/$_" } $ENV{SHARED_TRACES} ? 'apt-install' : ());
my %by;
for my $trace (@traces) {
	my ($name) = $trace =~ m{([^/]+)$};
	my ($wanted, @tids) = witness($trace);
	my %told;
	for my $tid (@tids) {
		for my $w (@{ JSON::PP::decode_json(wakepath('wakeups', '--thread', $tid, '--format', 'json', $trace)->{out})->{wakeups} }) {
			my ($futex, @calls) = ($w->{source}{futex}, map { "$_->{time}" } grep { $_->{event} =~ /futex/ } @{ $w->{source}{evidence} });
			$by{"$name $tid $w->{time}"} = $futex && "$futex->{uaddr} $futex->{op} $futex->{grade}" . " $w->{source}{kind}";
			$told{"$tid $w->{time}"} = [$futex->{uaddr}, @calls] if $futex && $futex->{grade} eq 'proved';
		}
	}
	cmp_ok(scalar keys %$wanted, '>', 6, "$name: there are futexes");
	is_deeply(\%told, $wanted, '… and the proved ones are those that the text of the trace shows, with their calls');
}

# [10:03:14.034131955] cpu 0 syscall_entry_futex: uaddr = 4977504, op = 128 (FUTEX_WAIT, private), by wk-fighter1[472]
# [10:03:14.046143015] cpu 1 syscall_entry_futex: uaddr = 4977504, op = 129 (FUTEX_WAKE, private), by wk-fighter0[471]
# [10:03:14.046158905] cpu 1 sched_waking: comm = "wk-fighter1", tid = 472, target_cpu = 0
# [10:03:14.046195425] cpu 1 syscall_exit_futex: ret = 1
is($by{'lockfight 472 1795168994046158905'}, '0x4bf360 wake proved thread', 'a lock that its holder released');
# [10:03:14.024853155] cpu 1 syscall_entry_futex: uaddr = 140064577374608, op = 265 (FUTEX_WAIT_BITSET, shared), by wk[470]
# [10:03:14.111228125] cpu 1 syscall_entry_exit: error_code = 0, by wk-fighter0[471]; then
is($by{'lockfight 470 1795168994111409565'}, '0x7f6353614990 exit inferred thread', 'a thread that was joined');
# timer_hrtimer_expire_entry in x86_irq_vectors_local_timer_entry: clock_nanosleep()
is($by{'lockfight 472 1795168994062529455'}, undef, 'a sleep waits for no futex');

done_testing;
