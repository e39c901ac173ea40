#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# States of a guest's threads, with their host's recording beside it: a thread that has a CPU of the guest does not run while that CPU's
# virtual CPU is not inside. The guest's states, converted by the program's clock and cut by the virtual CPU's states (Guests.pm), are
# compared with `states` and `threads`, to the nanosecond.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use List::Util qw(sum0);
use Guests;
use Kept;
use Ask;
use Verdict;

my $folder = Ask::experiment('vm-preempt');
plan skip_all => 'no trace of a guest and its host' if !$folder;
my @traces = map { "$folder/$_" } qw(host guest);

my $host = Kept::load('Vcpu', $traces[0]);
my $guest = Oracle->load($traces[1]);
my ($clock) = grep { $_->{host} eq 'guest1' } @{Ask::ask('sync', @traces)->{hosts}};
my $g = Guests->new(name => 'guest1', host => $host, guest => $guest, of => { 0 => 453 }, clock => $clock);

sub wrong {
    my ($life) = @_;
    my $cut = $g->cut($life->{intervals});
    my ($from, $to) = ($g->told($life->{strict_from}), $cut->[-1]{to});
    my $at = $from + 1;
    return Guests::wrong_states("TID $life->{tid} ($life->{name})", Ask::ask('states', @traces, '--thread', "guest1/$life->{tid}\@$at", '--from', $from, '--to', $to), $cut, $from, $to);
}

my @lives = grep { $_->{tid} && $_->{first_run} && $_->{strict_from} < $_->{end} } @{$guest->{lives}};
cmp_ok(scalar @lives, '>', 20, 'the guest has many threads');
verdict("states of $_->{tid} ($_->{name})", wrong($_)) for grep { $_->{name} =~ /^wk-/ } @lives;
verdict('states of ' . grep({ $_->{name} !~ /^wk-/ } @lives) . ' others', map { wrong($_) } grep { $_->{name} !~ /^wk-/ } @lives);

# The sums of `threads` are those of the states.
my %told;
push @{$told{$_->{tid}}}, $_ for grep { $_->{host} eq 'guest1' } @{Ask::ask('threads', @traces)->{threads}};
sub wrong_sums {
    my ($life) = @_;
    my ($told) = grep { $_->{first} == $g->told($life->{intervals}[0]{from}) } @{$told{$life->{tid}}} or return "TID $life->{tid}: not told";
    my %sum;
    $sum{$_->{state}} += $_->{to} - $_->{from} for @{$g->cut($life->{intervals})};
    return map { "TID $life->{tid} ($life->{name}): $_ $told->{states}{$_}, is $sum{$_}" }
        grep { $told->{states}{$_} != ($sum{$_} // 0) } qw(vcpu-preempted vcpu-exit usermode syscall running interrupted);
}
verdict('the sums of threads are those of the states', map { wrong_sums($_) } grep { !$_->{birth} || $_->{birth} == $_->{strict_from} } @lives);

# The guest's CPU.
{
    my $is = $g->cut_cpu(0);
    my ($from, $to) = ($is->[0]{from}, $is->[-1]{to});
    verdict('states of the CPU', Guests::wrong_states('CPU 0', Ask::ask('states', @traces, '--cpu', 'guest1/0', '--from', $from, '--to', $to), $is, $from, $to));
    cmp_ok(Oracle::sums($is, $from, $to)->{'vcpu-preempted'}, '>', 100_000_000, 'the CPU was preempted for long');
}

# The losses of each thread and of the CPU, in `machines`, for the whole trace and for windows whose ends cut
# intervals.
sub loss_of {
    my ($intervals, $from, $to) = @_;
    my $sum = Oracle::sums($intervals, $from, $to);
    my ($worst) = sort { $b->[1] - $b->[0] <=> $a->[1] - $a->[0] || $a->[0] <=> $b->[0] } grep { $_->[2] eq 'vcpu-preempted' } @{Oracle::joined($intervals, $from, $to, sub { $_[0]{state} })};
    return { worst => $worst ? $worst->[1] - $worst->[0] : 0, worst_at => $worst && $worst->[0], inside => sum0(map { $sum->{$_} // 0 } qw(running usermode syscall interrupted)), map { ($_ => $sum->{$_} // 0) } qw(vcpu-preempted vcpu-exit) };
}

my %lives;
push @{$lives{$_->{tid}}}, $_ for grep { $_->{tid} } @{$guest->{lives}};
my @once = grep { @{$lives{$_}} == 1 && !$lives{$_}[0]{birth} } sort { $a <=> $b } keys %lives;
my @keys = qw(inside vcpu-preempted vcpu-exit worst);
my @cpu = @{$g->cut_cpu(0)};
my $states = $g->{states}{0};
for my $window ([$cpu[0]{from}, $cpu[-1]{to}], [map { $g->told($_) } 1795172921672766496, 1795172921721591490], [$states->[5000]{from} + 1, min($states->[15000]{to}, $cpu[-1]{to}) - 1]) {
    my ($machine) = @{Ask::ask('machines', @traces, '--from', $window->[0], '--to', $window->[1])->{machines}};
    my %said = map { ($_->{tid} => $_) } @{$machine->{threads}};
    my @wrong;
    for my $tid (@once) {
        my $is = loss_of($g->cut($lives{$tid}[0]{intervals}), @$window);
        push @wrong, map { ($said{$tid}{$_} // 0) == $is->{$_} ? () : "TID $tid: $_ is $is->{$_}, said " . n($said{$tid}{$_}) } @keys;
    }
    cmp_ok(scalar(grep { $said{$_} } @once), '>', 3, 'several threads had the CPU');
    verdict("the loss of each thread is right from $window->[0] to $window->[1]", @wrong);
    my $is = loss_of(\@cpu, @$window);
    is_deeply($machine->{cpus}, [{ cpu => 0, %$is }], '... the losses of the CPU are right');
    is_deeply($machine->{all}, $is, '... and so are those of the guest');
    my @lost = map { $_->{'vcpu-preempted'} + $_->{'vcpu-exit'} } @{$machine->{threads}};
    is_deeply(\@lost, [sort { $b <=> $a } @lost], '... the largest loss comes first');
    is(sum0(@lost), $is->{'vcpu-preempted'} + $is->{'vcpu-exit'}, '... the threads\' losses add up to the CPU\'s');
}

# Rounds of 2 ms that took 15, by hand: [guest's marks], the thread on the guest's CPU, how long its virtual CPU was preempted, and
# how long by wk-pulse.
my @rounds = (
    [ 1795172921669766496, 1795172921684831958, 583, 13_172_570, 12_642_140 ],
    [ 1795172921706665969, 1795172921722591490, 583, 12_912_190, 12_764_350 ],
    [ 1795172921821285769, 1795172921836914381, 126, 12_781_570, 12_588_400 ],      # in the guest, its kworker has the CPU
);
for my $round (@rounds) {
    my ($from, $to, $tid, $preempted, $by_pulse) = @$round;
    my @window = map { $g->told($_) } $from, $to;
    my $answer = Ask::ask('states', @traces, '--thread', "guest1/$tid\@$window[1]", '--from', $window[0], '--to', $window[1]);
    my $sums = Oracle::sums($answer->{intervals} // [], @window);
    is($sums->{'vcpu-preempted'} // 0, $preempted, "TID $tid: preempted by the host for $preempted ns from $from to $to");
    my $why = Ask::ask('why', @traces, '--thread', "guest1/$tid\@$window[1]", '--from', $window[0], '--to', $window[1]);
    my ($pulse) = grep { $_->{what} eq 'vcpu' && ($_->{tid} // 0) == 679 } @{$why->{blame}};
    is($pulse->{time} // 0, $by_pulse, '… wk-pulse had the CPU for its part of that');
    is(join(' ', map { $pulse->{$_} // 'null' } qw(phase host name class)), 'stolen host wk-pulse real-time', '… as a real-time thread of the host');
    my $sum = 0;
    $sum += $_->{time} for @{$why->{blame}};
    is($sum, $window[1] - $window[0], '… all parts add up to the window');
    my $path = Ask::ask('path', @traces, '--thread', "guest1/$tid\@$window[1]", '--from', $window[0], '--to', $window[1]);
    my %on_path;
    $on_path{$_->{kind}} += $_->{to} - $_->{from} for @{$path->{segments}};
    is($on_path{'vcpu-preempted'}, $preempted, '… the path has that time, too') if $tid != 126;
}
done_testing;
