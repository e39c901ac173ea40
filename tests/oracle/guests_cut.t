#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Two guests with two virtual CPUs each, which take the CPUs of a host from each other (Machine.pm). Their threads migrate between the guest's
# CPUs, as the virtual CPUs do between the host's. The states and sums of every thread and CPU of both guests, and the takers of stolen time, are
# compared with the raw events (Guests.pm). The clock of the guests is the program's; the true one is known, too.
#
#   ORACLE_SEED=N        other machines
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../tools";
use Test::More;
use File::Temp;
use Made;
use Machine;
use Guests;
use Ask;
use Proved;
use Verdict;

my $seed = $ENV{ORACLE_SEED} // 1;
my $folder = File::Temp->newdir(TEMPLATE => 'oracle-guests-XXXXXX', TMPDIR => 1);
my $start = 1_000_000_000;
my $epoch = 1_700_000_000;
my %vcpus = %Machine::vcpus;

# Their traces below NAME, with clocks ahead of the host's by [seconds, ppm]: name → path.
sub traces {
    my ($name, $machine, %ahead) = @_;
    my %path;
    for my $host (sort keys %$machine) {
        my ($seconds, $ppm) = @{$ahead{$host} // [ 0, 0 ]};
        $path{$host} = Made::trace("$folder/$name/$host", { host => $host, epoch => $epoch + $seconds, uuid_of => "$name/$host" },
            Made::by_clock($start, 12_345, $ppm, @{$machine->{$host}{events}}, $host eq 'host' ? Machine::dump_of_two($start) : ()));
    }
    return \%path;
}

# The guests from the raw events, by the clocks that the program finds for the traces ASKED.
sub guests {
    my ($path, @asked) = @_;
    my $sync = Ask::ask('sync', @asked) or die $Ask::errors;
    my %clock = map { $_->{host} => $_ } @{$sync->{hosts}};
    my $host = Vcpu->load($path->{host});
    my $base = $sync->{reference} eq 'host' ? undef : Inside::line({ at => $host->{from} }, @{$clock{host}}{qw(slope offset_ns)});
    my @guests;
    for my $name (sort keys %vcpus) {
        my $guest = Oracle->load($path->{$name});
        # Only one system call is recorded: outside of it, user mode is not certain.
        for my $life (@{$guest->{lives}}) {
            $_->{state} =~ s/usermode/running/ for @{$life->{intervals}};
        }
        push @guests, Guests->new(name => $name, host => $host, guest => $guest, of => $vcpus{$name}, base => $base, clock => $name eq $sync->{reference} ? undef : $clock{$name});
    }
    return @guests;
}

# The program's answers, for the traces ASKED, about the threads and CPUs of G; times may differ by SLACK.
sub check {
    my ($g, $slack, @asked) = @_;
    my (@wrong, @wrong_sums);
    my %sums = map { $_->{tid} => $_->{states} } grep { $_->{host} eq $g->{name} } @{Ask::ask('threads', @asked)->{threads}};
    my @lives = grep { $_->{tid} && $_->{strict_from} } @{$g->{guest}{lives}};
    for my $life (@lives) {
        my $cut = $g->cut($life->{intervals});
        my ($from, $to) = ($g->told($life->{strict_from}), $cut->[-1]{to});
        my $name = "$g->{name}/$life->{tid}";
        push @wrong, Guests::wrong_states($name, Ask::ask('states', @asked, '--thread', $name, '--from', $from, '--to', $to), $cut, $from, $to, $slack);
        my $is = Oracle::sums($cut, $cut->[0]{from}, $to);
        push @wrong_sums, map { abs($sums{$life->{tid}}{$_} - ($is->{$_} // 0)) <= ($slack && 2 * @$cut) ? () : "$name: $_ $sums{$life->{tid}}{$_}, is " . n($is->{$_}) }
            qw(syscall running interrupted wait-cpu preempted blocked vcpu-preempted vcpu-exit);
    }
    verdict("states of $g->{name}'s " . @lives . ' threads', @wrong);
    verdict('… their sums are right', @wrong_sums);
    for my $n (0, 1) {
        my $cut = $g->cut_cpu($n);
        my ($from, $to) = ($cut->[0]{from}, $cut->[-1]{to});
        verdict("states of CPU $n", Guests::wrong_states("$g->{name} CPU $n", Ask::ask('states', @asked, '--cpu', "$g->{name}/$n", '--from', $from, '--to', $to), $cut, $from, $to, $slack));
        cmp_ok(Oracle::sums($cut, $from, $to)->{'vcpu-preempted'}, '>', 10_000_000, '… the guest was preempted for long');
    }
}

# The takers of the time stolen from the threads of G, in windows.
sub check_thieves {
    my ($g, $guests, @asked) = @_;
    my (@wrong, @others);
    my $parts = 0;
    chance("thieves of $g->{name}");
    for my $life (grep { $_->{tid} && $_->{strict_from} } @{$g->{guest}{lives}}) {
        my $cut = $g->cut($life->{intervals});
        my ($from, $to) = ($g->told($life->{strict_from}), $cut->[-1]{to});
        for (1 .. 8) {
            my $a = $from + int rand($to - $from);
            my $b = min($to, $a + 1 + int exp rand log 3e8);
            my $want = $g->thieves($cut, $a, $b, @$guests);
            my %got;
            my $why = Ask::ask('why', @asked, '--thread', "$g->{name}/$life->{tid}", '--from', $a, '--to', $b) or push @wrong, "$a $b $Ask::errors";
            $got{join ' ', map { $_ // '-' } @$_{qw(name tid guest guest_tid guest_name)}} += $_->{time} for grep { $_->{what} eq 'vcpu' && $_->{phase} eq 'stolen' } @{$why->{blame}};
            push @wrong, map { n($got{$_}) eq n($want->{$_}) ? () : "$g->{name}/$life->{tid} $a $b: $_: said " . n($got{$_}) . ', is ' . n($want->{$_}) } sort keys %{{ %got, %$want }};
            $parts += keys %$want;
            push @others, grep { / (?:one|two) / && !/ $g->{name} / } keys %$want;
        }
    }
    verdict("the takers of $parts parts of the time stolen from $g->{name} are right", @wrong);
    cmp_ok(scalar @others, '>', 5, '… threads of the other guest took many of them');
}

# The holder of the CPU that a virtual CPU of MACHINE waited for in [FROM, TO).
sub check_by {
    my ($host, $machine, $from, $to) = @_;
    my @wrong;
    for my $v (@{$machine->{vcpus}}) {
        my ($life) = $host->lives_of_tid($v->{tid});
        my (%is, %said);
        for my $s (grep { $_->{what} eq 'preempted' && $_->{to} > $from && $_->{from} < $to } @{$host->states_of($life)}) {
            for (grep { $_->{who} =~ /^tid [1-9]/ } $host->occupants($s->{cpu}, max($s->{from}, $from), min($s->{to}, $to))) {
                $is{$_->{who}} += $_->{to} - $_->{from};
            }
        }
        $said{"tid $_->{tid}"} += $_->{time} for grep { defined $_->{tid} } @{$v->{by}};
        push @wrong, map { n($said{$_}) eq n($is{$_}) ? () : "$v->{tid}: $_ said " . n($said{$_}) . ', is ' . n($is{$_}) } sort keys %{{ %is, %said }};
        push @wrong, "$v->{tid}: no virtual CPU of the other guest" if !grep { defined $is{"tid $_"} } $v->{tid} < 20 ? (21, 22) : (11, 12);
    }
    verdict("machines: the holders of the CPUs that $machine->{name} waited for are right", @wrong);
}

# Check the answers for the traces in PATH, name → folder, and for AHEAD, [seconds, such traces]…, whose clocks are that far ahead.
sub check_all {
    my ($path, @ahead) = @_;
    my @asked = map { $path->{$_} } qw(host one two);
    my @guests = guests($path, @asked);
    check($_, 0, @asked) for @guests;
    check_thieves($_, \@guests, @asked) for @guests;
    my $host = $guests[0]{host};
    my @machines = sort { $a->{pid} <=> $b->{pid} } @{Ask::ask('machines', @asked)->{machines}};
    is(join(', ', map { "$_->{name} $_->{guest}" } @machines), 'qemu-one one, qemu-two two', 'each machine has its guest');
    check_by($host, $_, @$host{qw(from to)}) for @machines;
    for (@ahead) {
        my ($seconds, $path) = @$_;
        my @asked = map { $path->{$_} } $seconds < 0 ? qw(one host two) : qw(host two one);
        note "$seconds s ahead";
        check($_, 2, @asked) for guests($path, @asked);
    }
}

for my $isa (2, 1) {
    srand 2 * $seed + $isa;
    my $machine = Machine::two_guests($start, $start + 5e8, $isa);
    my $path = traces("isa$isa", $machine, one => [ 7200, 40 ], two => [ -86400, -25 ]);
    # By the guest's clock, and by clocks that are 100 s and 200 ppm apart: rounding differs, all else is equal.
    my @ahead = map { [ $_->[0], traces("isa$isa@$_", $machine, one => $_, two => [ map { -$_ } @$_ ]) ] } [ 100, 200 ], [ -100, -200 ];
    note $isa == 1 ? 'Intel' : 'AMD';
    my %paths = map { my ($of, $path) = @$_; map { ("$of/$_" => $path->{$_}) } keys %$path } [ 0, $path ], @ahead;
    Proved::holds("oracle/guests_cut/isa$isa", \%paths, '', sub { check_all($path, @ahead) });
}
done_testing;
