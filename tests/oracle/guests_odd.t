#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Guests that are not simple, of made-up machines (Machine.pm): a guest in a guest, whose time both levels cut; events lost by the host; a guest of
# another host, hosts of one name, virtual CPUs without numbers, traces without kvm events. If something cannot be known, nothing is cut.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Made;
use Machine;
use Guests;
use Ask;
use Verdict;

my $folder = File::Temp->newdir(TEMPLATE => 'oracle-guests-XXXXXX', TMPDIR => 1);
my $start = 1_000_000_000;
my %ahead = (host => [ 0, 0 ], outer => [ 3600, 30 ], inner => [ -7200, -20 ]);

srand($ENV{ORACLE_SEED} // 1);
my %machine = map { ($_->[0] => Machine->new(cpus => $_->[1], start => $start)) } [ host => 2 ], [ outer => 2 ], [ inner => 1 ];
$machine{host}->add(11 + $_, name => "CPU $_/KVM", guest => $machine{outer}, guest_cpu => $_) for 0, 1;
$machine{host}->add($_, name => "hog$_") for 30, 31;
$machine{outer}->add(51, name => 'CPU 0/KVM', guest => $machine{inner}, guest_cpu => 0);
$machine{outer}->add($_, name => "outer-$_") for 61, 62;
$machine{inner}->add($_, name => "inner-$_") for 101 .. 103;
$machine{host}->run($start + 1e9);
push @{$machine{host}{events}}, map { my ($tid, $name) = @$_; [ $start - 1000 + $tid, 0, 'lttng_statedump_process_state', $tid, 10, 1, $name, 0, 5, 0, 5, 0 ] }
    [ 10, 'qemu' ], [ 11, 'CPU 0/KVM' ], [ 12, 'CPU 1/KVM' ];

# The trace of NAME into FOLDER/AS, with the options OF; events for which WHICH is false are not recorded.
sub trace {
    my ($name, $as, $of, $which) = @_;
    my ($seconds, $ppm) = @{$ahead{$name}};
    my $until = $start + ($name eq 'host' ? 2e9 : 9.9e8);
    return Made::trace("$folder/$as", { host => $name, epoch => 1_700_000_000 + $seconds, %{$of // {}} },
        Made::by_clock($start, 12_345, $ppm, grep { $_->[0] < $until && (!$which || $which->($_)) } @{$machine{$name}{events}}));
}

# Only one system call is recorded: outside of it, user mode is not certain.
sub plain {
    my ($o) = @_;
    for my $life (@{$o->{lives}}) {
        $_->{state} =~ s/usermode/running/ for @{$life->{intervals}};
    }
    return $o;
}

sub clocks { my %clock = map { $_->{host} => $_ } @{Ask::ask('sync', @_)->{hosts}}; return \%clock }

# The program's answers about the threads and CPUs of G.
sub wrong {
    my ($g, @asked) = @_;
    my @wrong;
    for my $life (grep { $_->{tid} && $_->{strict_from} } @{$g->{guest}{lives}}) {
        my $cut = $g->cut($life->{intervals});
        my ($from, $to) = ($g->told($life->{strict_from}), $cut->[-1]{to});
        my $name = "$g->{name}/$life->{tid}";
        push @wrong, Guests::wrong_states($name, Ask::ask('states', @asked, '--thread', $name, '--from', $from, '--to', $to), $cut, $from, $to, 3);
    }
    for my $n (sort keys %{$g->{guest}{cpu}}) {
        my $cut = $g->cut_cpu($n);
        my ($from, $to) = ($cut->[0]{from}, $cut->[-1]{to});
        push @wrong, Guests::wrong_states("$g->{name} CPU $n", Ask::ask('states', @asked, '--cpu', "$g->{name}/$n", '--from', $from, '--to', $to), $cut, $from, $to, 3);
    }
    return @wrong;
}

# The time that the threads of HOST lost to its host, by the program.
sub lost { my ($host, @asked) = @_; my $sum = 0; $sum += $_->{states}{'vcpu-preempted'} + $_->{states}{'vcpu-exit'} for grep { $_->{host} eq $host } @{Ask::ask('threads', @asked)->{threads}}; return $sum }

sub whose { return join ', ', sort map { my $m = $_; map { "$_->{tid}=" . n($m->{guest}) . '/' . n($_->{guest_cpu}) } @{$m->{vcpus}} } @{Ask::ask('machines', @_)->{machines}} }

# ---- a guest in a guest ----

my @asked = map { trace($_, $_) } qw(host outer inner);
is(whose(@asked), '11=outer/0, 12=outer/1, 51=inner/0', 'each virtual CPU has its guest, on both levels');
my $clock = clocks(@asked);
my $host = Vcpu->load($asked[0]);
my $outer = Guests->new(name => 'outer', host => $host, guest => plain(Vcpu->load($asked[1])), of => { 0 => 11, 1 => 12 }, clock => $clock->{outer});
my $inner = Guests->new(name => 'inner', host => $outer->{guest}, outer => $outer, guest => plain(Oracle->load($asked[2])), of => { 0 => 51 }, clock => $clock->{inner});
verdict('the states of the threads and CPUs of the outer guest are right', wrong($outer, @asked));
verdict('the states of the inner guest, cut by both levels, are right', wrong($inner, @asked));
my $by_outer = 0;
for my $v (map { @{$inner->cut($_->{intervals})} } grep { $_->{tid} } @{$inner->{guest}{lives}}) {
    $by_outer += $v->{to} - $v->{from} if $v->{by} && $v->{by}{cpu} && $v->{state} eq 'vcpu-preempted';
}
cmp_ok($by_outer, '>', 1_000_000, 'the outer guest took some of the time, too');

# ---- events lost ----

# In a stay of a virtual CPU, and some ms after it.
my ($stay) = grep { $_->{to} - $_->{from} > 200_000 && $_->{from} > 1_700_000_001_400_000_000 } @{(grep { $_->{tid} == 11 } $host->vcpus)[0]{inside}};
my $at = $stay->{from} - 1_700_000_000_000_000_000 - 12_345;
my @lossy = (trace('host', 'lossy/host', { lost => { $stay->{cpu} => [ $at + 100_000 + 12_345, $at + 8_000_000 + 12_345 ] } }), @asked[1, 2]);
my $gap = Vcpu->load($lossy[0]);
cmp_ok($gap->{discarded}, '>', 20, 'the host lost events');
is(whose(@lossy), '11=outer/0, 12=outer/1, 51=inner/0', '… each virtual CPU still has its guest');
{
    my $c = clocks(@lossy)->{outer};
    my $g = Guests->new(name => 'outer', host => $host, guest => $outer->{guest}, of => { 0 => 11, 1 => 12 }, clock => $c);
    my ($from, $to) = map { 1_700_000_000_000_000_000 + 12_345 + $_ } $at + 100_000, $at + 30_000_000;
    my @wrong;
    for my $life (grep { $_->{tid} && $_->{strict_from} } @{$g->{guest}{lives}}) {
        my $cut = $g->cut($life->{intervals});
        for ([ $g->told($life->{strict_from}), $from - 1000 ], [ $to, $cut->[-1]{to} ]) {
            my $name = "outer/$life->{tid}";
            push @wrong, Guests::wrong_states($name, Ask::ask('states', @lossy, '--thread', $name, '--from', $_->[0], '--to', $_->[1]), $cut, @$_, 3) if $_->[0] < $_->[1];
        }
    }
    verdict('… and the states before the gap, and 22 ms after it', @wrong);
}

# ---- unknown facts ----

# The guest of another host.
srand 99;
my %other = map { ($_ => Machine->new(cpus => 1, start => $start)) } qw(host outer);
$other{host}->add(11, name => 'CPU 0/KVM', guest => $other{outer}, guest_cpu => 0)->add(30, name => 'hog');
$other{outer}->add($_, name => "strange-$_") for 61, 62;
$other{host}->run($start + 1e9);
my $stranger = Made::trace("$folder/stranger", { host => 'stranger', epoch => 1_700_000_000 }, @{$other{outer}{events}});
is(whose($asked[0], $stranger), '11=-/-, 12=-/-', 'the guest of another host belongs to no machine here');
is(lost('stranger', $asked[0], $stranger), 0, '… and nothing of it is cut');
like((Ask::run('threads', $asked[0], $stranger))[0] eq '0' && $Ask::errors, qr/stranger/, '… and wakepath says so');
is(whose(@asked[0, 1], $stranger), '11=outer/0, 12=outer/1, 51=-/-', '… also beside a known guest');

# Two of one name: the guest was not renamed.
my @same = ($asked[0], trace('outer', 'same/outer', { host => 'host' }));
like(whose(@same), qr{^11=\S+/0, 12=\S+/1(?:, 51=-/-)?$}, 'host and guest of one name are still told apart');
my $twins = Made::trace("$folder/twins", { host => 'outer', epoch => 1_700_000_000 }, @{$other{outer}{events}});
my $answer = Ask::ask('machines', @asked[0, 1], $twins);
my ($machine) = grep { $_->{pid} } @{$answer->{machines}};
like($machine->{guest}, qr/^outer/, 'two guests of one name: one is found');
is(join(' ', map { n($_->{guest_cpu}) } @{$machine->{vcpus}}), '0 1', '… with its CPUs');

# No kvm events: nothing is a virtual CPU, nothing is cut.
my @dumb = (trace('host', 'dumb/host', {}, sub { $_[0][2] !~ /^kvm/ }), trace('outer', 'dumb/outer', {}, sub { $_[0][2] !~ /^kvm/ }));
is(scalar @{(Ask::ask('machines', @dumb) // { machines => [] })->{machines}}, 0, 'without kvm events there is no machine');
is(lost('outer', @dumb), 0, '… and nothing is cut');

# On arm64, kvm_entry and kvm_exit have other fields, without a number of the virtual CPU: ARM_EXCEPTION_IRQ is 0, ..._TRAP 2, then the class of
# ESR_EL2 is the reason: 1 WFx, 0x24 a data abort.
my %arm = (kvm_x86_entry => sub { ('kvm_entry', 4096) }, kvm_x86_exit => sub { ('kvm_exit', $_[0] == 0x60 ? (0, 0) : (2, $_[0] == 0x78 ? 1 : 0x24), 8192) });
my @arm = map { my $name = $_;
    Made::trace("$folder/arm/$name", { host => $name, epoch => 1_700_000_000 + $ahead{$name}[0], machine => 'arm' }, Made::by_clock($start, 12_345, $ahead{$name}[1],
        map { my ($t, $cpu, $event, @of) = @$_; $event =~ s/^x86_//; $arm{$event} ? [ $t, $cpu, $arm{$event}->(@of) ] : $event =~ /^irq_vectors/ ? () : [ @$_ ] }
        grep { $_->[0] < $start + ($name eq 'host' ? 2e9 : 9.9e8) } @{$machine{$name}{events}})) } qw(host outer);
is(whose(@arm), '11=outer/0, 12=outer/1, 51=-/-', 'arm64: each virtual CPU has its guest');
{
    my $x86 = Ask::ask('machines', $asked[0], '--from', $host->{from} + 3e7, '--to', $host->{to} - 3e7);
    my $answer = Ask::ask('machines', $arm[0], '--from', $host->{from} + 3e7, '--to', $host->{to} - 3e7);
    my %of = map { my $m = $_; map { $_->{tid} => $_ } @{$m->{vcpus}} } @{$answer->{machines}};
    for my $v (map { @{$_->{vcpus}} } @{$x86->{machines}}) {
        my $is = $of{$v->{tid}};
        is(join(' ', map { n($is->{$_}) } qw(preempted halted blocked)), join(' ', map { n($v->{$_}) } qw(preempted halted blocked)), "arm64: $v->{tid} is preempted, halted and asleep as long as on x86");
        my ($wfi) = grep { $_->{reason} =~ /WFx/ } @{$is->{exits}};
        my ($hlt) = grep { $_->{reason} eq 'hlt' } @{$v->{exits}};
        is($wfi && $wfi->{count}, $hlt->{count}, '… and waits for interrupts as often');
    }
}
done_testing;
