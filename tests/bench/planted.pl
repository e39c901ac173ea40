#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# planted.pl [SEEDS [SHARES [CAUSES]]]: measure how often `wakepath compare` ranks the planted cause first, if it is in 1, 5, 10 or 50 % of 1000
# requests, and how often it reports a cause if none was planted.  Prints the tables of docs/performance.md.  100 seeds take about half an hour.
# planted.pl many: time and memory for a thousand to a million requests (1.3 GB in the temporary folder).
use strict;
use warnings;
use FindBin;
use File::Temp qw(tempdir);
use IO::Handle;
use JSON::PP ();
use Time::HiRes ();
use lib "$FindBin::Bin/../oracle";
use Planted;

my $many = ($ARGV[0] // '') eq 'many';
my $seeds = $many ? 0 : $ARGV[0] // 100;
my @shares = split /,/, $ARGV[1] // '0.01,0.05,0.1,0.5';
my @causes = split /,/, $ARGV[2] // join ',', @Planted::CAUSES, 'none';
my $jobs = $ENV{JOBS} // 2;
my $verbose = $ENV{VERBOSE};
my ($json) = grep { eval "require $_" } qw(Cpanel::JSON::XS JSON::PP);
my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
my $wakepath = $ENV{WAKEPATH} // "$build/wakepath";
my $tmp = tempdir('wakepath-planted.XXXXXX', TMPDIR => 1, CLEANUP => 1);
$ENV{WAKEPATH_INDEX_DIR} = "$tmp/index";

sub compare {
	my ($trace, @args) = @_;
	my $out = "$tmp/out.$$";
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', $out or die;
		open STDERR, '>', "$out.err" or die;
		{ exec $wakepath, 'compare', $trace, '--set', $Planted::SET, @args, '--format', 'json' }
		exit 127;
	}
	waitpid $pid, 0;
	my $status = $? >> 8;
	open my $f, '<', $out or die;
	local $/;
	my $text = <$f>;
	return $status == 0 ? $json->new->utf8->decode($text) : $status;	# 1: there is no slow set
}

sub last_name { my ($row) = @_; my $a = $row->{step}[-1]; return ref $a ? $a->{name} // '' : $a =~ s{.*/}{}r =~ s/\[\d+\]$//r }
sub is_step { my ($row, $cause) = @_; my ($who, $kind) = @{ $Planted::STEP{$cause} }; return last_name($row) eq $who && $row->{kind} eq $kind }

sub verdict {
	my ($j, $cause) = @_;
	return "status $j" if !ref $j;
	my @rows = @{ $j->{rows} };
	if (!$cause) { my @said = grep { $_->{class} ne 'noise' } @rows; return @said ? 'said ' . join(', ', map { last_name($_) . " $_->{kind} $_->{class} p=" . ($_->{p_value} // '-') } @said[0 .. ($#said > 2 ? 2 : $#said)]) : 'ok' }
	return 'no rows' if !@rows;
	my ($rank) = grep { is_step($rows[$_], $cause) } 0 .. $#rows;
	return 'not there' if !defined $rank;
	return 'rank ' . ($rank + 1) . ': ' . last_name($rows[0]) . " $rows[0]{kind}" if $rank;
	return $rows[0]{class} eq 'noise' ? 'noise' : 'ok';
}

# [name, code that returns the verdict]… of one seed.
sub cases {
	my ($seed) = @_;
	my @all;
	for my $cause (grep { $_ ne 'none' } @causes) {
		for my $share (@shares) {
			my $trace = "$tmp/$cause-$share-$seed";
			my $made = sub { Planted::made($trace, seed => $seed, cause => $cause, share => $share) if !-e $trace };
			for my $how (['gap'], ['top', '--slow', 'top ' . 100 * $share . '%']) {
				my ($name, @slow) = @$how;
				push @all, ["$cause " . 100 * $share . " % $name", sub { $made->(); return verdict(compare($trace, @slow), $cause) }];
			}
			push @all, ['clean', sub { system 'rm', '-rf', $trace, "$trace.truth", glob "$tmp/index/*$cause-$share-$seed*"; return undef }];
		}
	}
	return @all if !grep { $_ eq 'none' } @causes;
	my ($a, $b) = map { "$tmp/none-$_-$seed" } qw(a b);
	push @all, ['clean', sub { Planted::made("$a/a", seed => $seed, host => 'a'); Planted::made("$b/b", seed => $seed + 1000, host => 'b', noise => $Planted::NOISE[$seed % 4]);
		system('mkdir', '-p', "$tmp/both-$seed") == 0 && system('cp', '-r', "$a/a", "$b/b", "$tmp/both-$seed") == 0 or die; return undef }];
	push @all, ['none default', sub { verdict(compare($a)) }], ['none gap', sub { verdict(compare($a, '--slow', 'gap')) }], ['none top 10 %', sub { verdict(compare($a, '--slow', 'top 10%')) }],
		['none structure', sub { verdict(compare($a, '--group', 'structure')) }], ['none host', sub { verdict(compare("$tmp/both-$seed", '--group', 'host')) }],
		['none field', sub { verdict(compare($a, '--group', 'made_request.colour')) }], ['none against', sub { verdict(compare($a, '--against', $b)) }];
	push @all, ['clean', sub { system 'rm', '-rf', $a, $b, "$tmp/both-$seed", glob "$tmp/index/*none-*-$seed*"; return undef }];
	return @all;
}

# Wait for PID.  Returns its exit status and the peaks of its private memory and of all its memory, kB.
sub watch {
	my ($pid) = @_;
	my ($anon, $all) = (0, 0);
	while (waitpid($pid, 1) == 0) {
		if (open my $f, '<', "/proc/$pid/status") {
			local $/;
			my $text = <$f>;
			for ([\$anon, qr/^RssAnon:\s*(\d+)/m], [\$all, qr/^VmHWM:\s*(\d+)/m]) { ${ $_->[0] } = $1 if $text =~ $_->[1] && $1 > ${ $_->[0] } }
		}
		select undef, undef, undef, 0.01;
	}
	return ($? >> 8, $anon, $all);
}

sub measure_many {
	print "| requests | took | private memory | with the pages of the index |\n|---|---|---|---|\n";
	for ([1000, 1], [1000, 10], [1000, 100], [1000, 1000], [100, 10, 400]) {
		my ($requests, $copies, $rounds) = @$_;	# 400: a path of about a thousand segments
		Planted::made("$tmp/many", seed => 1, cause => 'hop', share => 0.05, requests => $requests, copies => $copies, rounds => $rounds);
		system($wakepath, 'index', '--quiet', "$tmp/many") == 0 or die;
		for my $turn (0, 1) {	# once to find the intervals, which are kept
			my $begun = Time::HiRes::time();
			my $pid = fork() // die;
			if (!$pid) { open STDOUT, '>', '/dev/null'; exec $wakepath, 'compare', "$tmp/many", '--set', $Planted::SET, '--slow', 'top 5%', '--format', 'json' }
			my ($status, $anon, $all) = watch($pid);
			printf "| %d%s%s%s | %.2f s | %.0f MB | %.0f MB |\n", $requests * $copies, $rounds ? ' of a thousand segments' : '', $turn ? ', again' : '', $status ? " (status $status)" : '', Time::HiRes::time() - $begun, $anon / 1024, $all / 1024;
		}
		system 'rm', '-rf', "$tmp/many", "$tmp/index";
	}
}

if ($many) {
	measure_many();
	exit 0;
}

pipe(my $from, my $to) or die "pipe: $!";
for my $job (0 .. $jobs - 1) {
	next if fork() // die "fork: $!";
	$to->autoflush;
	$tmp = "$tmp/$job";
	mkdir $tmp;
	for (my $seed = $job; $seed < $seeds; $seed += $jobs) {
		for (cases($seed)) { my ($name, $code) = @$_; my $verdict = $code->(); print $to "$name\t$seed\t$verdict\n" if defined $verdict }
	}
	require POSIX;
	POSIX::_exit(0);
}
close $to;

my (%ok, %all, %why, @order);
while (<$from>) {
	chomp;
	my ($name, $seed, $verdict) = split /\t/;
	push @order, $name if !$all{$name}++;
	my $good = $verdict eq 'ok' || ($name =~ /^none/ && $verdict eq 'status 1');
	$ok{$name} += $good;
	print STDERR "$name, seed $seed (", $Planted::NOISE[$seed % 4], "): $verdict\n" if $verbose;
	$why{$name}{ $verdict =~ s/ p=.*//r }++ if $verdict ne 'ok';
}
print "| requests | found, or rightly nothing | else |\n|---|---|---|\n";
for my $name (@order) {
	my $why = $why{$name} // {};
	print "| $name | ", $ok{$name} // 0, " of $all{$name} | ", join('; ', map { "$_ ($why->{$_})" } (sort { $why->{$b} <=> $why->{$a} } keys %$why)[0 .. (keys %$why > 3 ? 2 : keys(%$why) - 1)]), " |\n";
}
