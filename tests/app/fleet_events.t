#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Made hosts with four causes planted at the level of events (tests/tools/Fleet.pm): each is reported with its cause, and hardly any other host is;
# sums over all hosts are those of all their events, which this script counts in the text itself.  80 hosts; fleet_thousand.t has 1000.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fleet;
use List::Util qw(min);
use Test::More;

my $HOSTS = $ENV{HOSTS} // 80;
my $EACH = $HOSTS / 4 < 250 ? 2 : 5;	# hosts of each cause
my $AT_ONCE = 50;	# traces that exist at once
my @plants = ([disk => 10, 'block: 8:0'], [hog => 24, 'preempted: backup'], [lock => 10, 'thread: keeper'], [storm => 5, 'wait-cpu: IRQ 44 eth9']);
my %plant;	# by host
$plant{1 + int($_ * $HOSTS / ($EACH * @plants))} = $plants[$_ % @plants] for 0 .. $EACH * @plants - 1;

# Add the requests to the disk and the wake-ups in the text PATH, in ns, to the lists.
my (@requests, @wakeups);
sub count {
	my ($path) = @_;
	my (%issued, %woken);
	open my $f, '<', $path or die "$path: $!";
	while (<$f>) {
		my ($time, $event, $rest) = / (\d+\.\d+): (\w+): (.*)/ or next;
		$time = 1000 * ($time =~ tr/.//dr);
		if ($event eq 'block_rq_issue' || $event eq 'block_rq_complete') {
			my ($sector) = $rest =~ /\(\) (\d+) /;
			if ($event eq 'block_rq_issue') { $issued{$sector} = $time }
			else { push @requests, $time - delete $issued{$sector} }
		} elsif ($event eq 'sched_waking') {
			my ($pid) = $rest =~ / pid=(\d+)/;
			$woken{$pid} //= $time;
		} elsif ($event eq 'sched_switch') {
			my ($pid) = $rest =~ /next_pid=(\d+)/;
			my $from = delete $woken{$pid};
			push @wakeups, $time - $from if defined $from;
		}
	}
}

my $dir = "$ENV{TMPDIR}/fleet";
mkdir $_ or die for $dir, "$dir/sums";
my $list = '';
for (my $first = 1; $first <= $HOSTS; $first += $AT_ONCE) {
	my $some = '';
	for my $i ($first .. min($first + $AT_ONCE - 1, $HOSTS)) {
		made_host("$dir/$i.txt", seed => $i, iterations => 120, keeper => 1, $plant{$i} ? @{ $plant{$i} }[0, 1] : ());
		count("$dir/$i.txt");
		$some .= "host$i $i.txt\n";
	}
	spew("$dir/some", $some);
	my $r = wakepath('fleet', '--index-dir', "$dir/index", '--format', 'json', "$dir/some");
	BAIL_OUT($r->{err}) if $r->{status};
	for (@{ json_of($r)->{hosts} }) {
		rename $_->{summary}, "$dir/sums/$_->{host}.wpm" or die;
		$list .= "$_->{host} sums/$_->{host}.wpm\n";
	}
	system('rm', '-rf', "$dir/index", glob "$dir/*.txt") == 0 or die;
}
spew("$dir/hosts", $list);

# ---- hosts that stand out ----

my $hosts = json_of(wakepath('fleet', "$dir/hosts", '--format', 'json'));
is($hosts->{hosts_compared}, $HOSTS, 'all hosts are compared');
my %standing = map { $_->{host} => $_ } grep { $_->{stands_out} } @{ $hosts->{hosts} };
is($standing{"host$_"} && $standing{"host$_"}{cause}, $plant{$_}[2], "host$_ stands out by $plant{$_}[0]") for sort { $a <=> $b } keys %plant;
my @false = grep { !$plant{ s/host//r } } sort keys %standing;
cmp_ok(scalar @false, '<=', $HOSTS / 100, 'hardly any other host stands out') or diag(join ' ', map { "$_: $standing{$_}{kind} $standing{$_}{measure} $standing{$_}{p}" } @false);

# ---- all together ----

my %kinds = map { $_->{kind} => $_ } @{ json_of(wakepath('fleet', "$dir/hosts", 'latency', '--format', 'json'))->{kinds} };
for (['block-device', \@requests], ['wakeup', \@wakeups]) {
	my ($kind, $all) = @$_;
	my @x = sort { $a <=> $b } @$all;
	my $sum = 0;
	$sum += $_ for @x;
	my $k = $kinds{$kind};
	is("$k->{count} $k->{sum} $k->{min} $k->{max}", @x . " $sum $x[0] $x[-1]", "$kind: count, sum, min and max of all events");
	for (['p50', 0.5], ['p90', 0.9], ['p99', 0.99], ['p999', 0.999]) {
		my ($name, $share) = @$_;
		my $rank = $share * @x;
		my $exact = $x[($rank == int $rank ? $rank : int($rank) + 1) - 1];
		cmp_ok(abs($k->{$name} - $exact), '<=', $exact / 256 + 1, "$kind: $name is as near as the text claims");
	}
}
done_testing;
