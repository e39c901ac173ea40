#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Sixty made hosts (tests/tools/Fleet.pm): those with a planted cause stand out, by that cause; sums are the planted ones; bad hosts are named and left
# out.  A thousand summaries are read in a second and 64 MB.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fleet;
use File::Copy qw(copy);
use Test::More;

my $dir = "$ENV{TMPDIR}/fleet";
my $index = "$ENV{TMPDIR}/index";
mkdir $dir or die;
my $HOSTS = 60;
my %disk = map { $_ => 1 } 7, 23, 41, 58;
my %hog = map { $_ => 1 } 12, 30, 51;
my %truth;
my $list = "# the hosts\n\n";
for my $i (1 .. $HOSTS) {
	$truth{"web$i"} = made_host("$dir/t $i.txt", seed => $i, disk => $disk{$i} ? 4 : 1, hog => $hog{$i} ? 40 : 0);
	$list .= "web$i 't $i.txt'\n";
}
spew("$dir/hosts", $list);
sub fleet { return wakepath('fleet', '--index-dir', $index, @_) }

# ---- hosts ----

my $r = fleet("$dir/hosts", '--format', 'json');
is($r->{status}, 0, 'hosts') or diag($r->{err});
my $hosts = json_of($r);
is($hosts->{hosts_all}, $HOSTS, 'all hosts');
is($hosts->{hosts_compared}, $HOSTS, 'all are compared');
my %standing = map { $_->{host} => $_ } grep { $_->{stands_out} } @{ $hosts->{hosts} };
for my $i (sort keys %disk) {
	my $h = $standing{"web$i"};
	ok($h, "web$i stands out") or next;
	like($h->{cause}, qr/^block: /, '... by its disk');
	cmp_ok($h->{p}, '<', 0.001, '... surely');
	cmp_ok($h->{difference}, '>', 0, '... slower');
}
for my $i (sort keys %hog) {
	my $h = $standing{"web$i"};
	ok($h, "web$i stands out") or next;
	is($h->{cause}, 'preempted: backup', '... by the program that takes the CPU');
	# The planted time, per second of the recording.
	my $rate = 1e9 * 1000 * $truth{"web$i"}{hog} / ($h->{to} - $h->{from});
	cmp_ok(abs($h->{excess} / $rate - 1), '<', 0.01, '... for the time that it took');
}
my @false = grep { !/^web(\d+)$/ || (!$disk{$1} && !$hog{$1}) } keys %standing;
cmp_ok(scalar @false, '<=', 1, 'hardly any other host stands out') or diag("@false");
is(join(' ', map { $_->{stands_out} ? 1 : 0 } @{ $hosts->{hosts} }), join(' ', sort { $b <=> $a } map { $_->{stands_out} ? 1 : 0 } @{ $hosts->{hosts} }), 'the planted ones come first');

# ---- sums ----

my ($reads, $time) = (0, 0);
$reads += $_->{reads}, $time += $_->{disk} for values %truth;
my $causes = json_of(fleet("$dir/hosts", 'causes', '--format', 'json'));
my ($block) = grep { $_->{kind} eq 'block' } @{ $causes->{causes} };
is($block->{count}, $reads, 'waits for the disk');
cmp_ok(abs($block->{time} / 1000 / $time - 1), '<', 0.01, '... and their time');
is($block->{hosts}, $HOSTS, '... on all hosts');
my ($backup) = grep { $_->{kind} eq 'preempted' } @{ $causes->{causes} };
is($backup->{hosts}, scalar keys %hog, 'preempted on three');
my $kinds = json_of(fleet("$dir/hosts", 'latency', '--format', 'json'));
my ($requests) = grep { $_->{kind} eq 'block-device' } @{ $kinds->{kinds} };
is($requests->{count}, $reads, 'requests to the disk');

# All cases of all hosts at once: each trace by itself, without a summary.
my @all;
for my $i (1 .. $HOSTS) {
	my $one = json_of(wakepath('sql', '--index-dir', $index, '--format', 'json', "$dir/t $i.txt", q{SELECT dur FROM latency WHERE kind = 'block-device'}));
	push @all, map { $_->[0] } @{ $one->{rows} };
}
@all = sort { $a <=> $b } @all;
is($requests->{sum}, eval { my $sum = 0; $sum += $_ for @all; $sum }, 'the sum is exact');
is($requests->{min}, $all[0], 'the minimum');
is($requests->{max}, $all[-1], 'the maximum');
for (['p50', 0.5], ['p90', 0.9], ['p99', 0.99], ['p999', 0.999]) {
	my ($name, $share) = @$_;
	my $rank = $share * @all;
	my $exact = $all[($rank == int $rank ? $rank : int($rank) + 1) - 1];
	cmp_ok(abs($requests->{$name} - $exact), '<=', $exact / 256 + 1, "$name is as near as the text claims");
}

# ---- one kind, and the differences ----

my $one = json_of(fleet("$dir/hosts", 'latency', '--kind', 'block-device', '--format', 'json'));
is(scalar @{ $one->{worst} }, 64, 'the 64 worst');
is($one->{worst}[0]{latency}, $all[-1], '... the longest first');
is($one->{worst}[63]{latency}, $all[-64], '... and the last');
my $by_name = json_of(fleet("$dir/hosts", 'latency', '--kind', 'preempted', '--format', 'json'));
is(join(' ', map { "$_->{name} $_->{hosts} $_->{count}" } @{ $by_name->{groups} }), "worker 3 $backup->{count}", 'by name');
is($by_name->{worst}[0]{subject}, 'worker[101]', 'the thread of the worst');
like($by_name->{worst}[0]{cause}, qr/backup\[202\]/, '... and the sentence');
is($by_name->{worst}[0]{account}[0]{what}, 'backup[202]', '... and the account');
is(fleet("$dir/hosts", 'latency', '--kind', 'nothing')->{status}, 2, 'an unknown kind is an error');
my $compare = json_of(fleet("$dir/hosts", 'compare', '--format', 'json'));
is($compare->{differences}[0]{kind}, 'preempted', 'the difference of the hosts that stand out');
is($compare->{differences}[0]{slow_hosts}, scalar keys %hog, '... which three of them have');
is($compare->{differences}[0]{fast_hosts}, 0, '... and no other');
like(fleet("$dir/hosts")->{out}, qr/^7 of 60 hosts stand out$|^8 of 60/m, 'text');
like(fleet("$dir/hosts", '--format', 'markdown')->{out}, qr/^\| web/m, 'Markdown');
is(scalar(my @lines = split /\n/, fleet("$dir/hosts", '--format', 'csv')->{out}), $HOSTS + 1, 'CSV');

# ---- bad hosts ----

my @summaries = sort glob "$index/*.wpm";
is(scalar @summaries, $HOSTS, 'a summary beside each index');
mkdir "$dir/bad" or die;
copy($summaries[$_], "$dir/bad/$_.wpm") or die for 0 .. 9;
spew("$dir/bad/cut.wpm", substr slurp($summaries[0]), 0, 900);
spew("$dir/bad/empty.wpm", '');
my $bytes = slurp($summaries[1]);
substr($bytes, 300, 1) = chr(ord(substr $bytes, 300, 1) ^ 1);
spew("$dir/bad/wrong.wpm", $bytes);
$r = fleet("$dir/bad", '--format', 'json');
is($r->{status}, 0, 'a folder with bad summaries');
is(json_of($r)->{hosts_all}, 10, '... without these');
is(join(' ', map { $_->{path} =~ s!.*/!!r } @{ json_of($r)->{left_out} }), 'cut.wpm empty.wpm wrong.wpm', '... the bad ones are named');
like($r->{err}, qr/\Q$_\E is left out: /, "... $_ by a warning, too") for qw(cut.wpm empty.wpm wrong.wpm);
spew("$dir/some", "web1 't 1.txt'\nlost gone.wpm\nweb2 't 2.txt'\nnone nowhere.txt\n");
$r = fleet("$dir/some");
is($r->{status}, 0, 'a list with hosts that are not there');
like($r->{err}, qr/lost is left out: no summary yet/, '... the missing summary');
like($r->{err}, qr/none is left out: /, '... the missing trace');
like($r->{out}, qr/^0 of 2 hosts stand out; 2 could not be compared: a role needs at least 8 hosts$/m, 'two hosts are not compared');
spew("$dir/many words", "a b c d\n");
is(fleet("$dir/many words")->{status}, 2, 'a line of four words');
like(wakepath('info', "$dir/bad")->{err}, qr{bad/\d\.wpm is the summary of a host, without its trace: give it, or its folder, to wakepath fleet}, 'the message for a folder of summaries names it as such');
spew("$dir/none", "lost gone.wpm\n");
is(fleet("$dir/none")->{status}, 1, 'no host is left');
is(fleet("$dir/hosts", 'nonsense')->{status}, 2, 'an unknown word');
is(wakepath('fleet', "$dir/nothing")->{status}, 2, 'a list that is not there');

# ---- the summary and its index ----

my $trace = "$dir/t 1.txt";
my ($first) = grep { /t_1_txt/ } @summaries;
is(wakepath('verify', '--index-dir', $index, $trace)->{status}, 0, 'verify makes it again');
my $good = slurp($first);
patch($first, sub { substr($_, -200, 1) = 'x' });
is(wakepath('verify', '--index-dir', $index, $trace)->{status}, 3, '... and finds damage');
is(wakepath('verify', $first)->{status}, 3, '... in the file alone, too');
like(wakepath('index', '--summary', '--index-dir', $index, $trace)->{out}, qr/summary .* made/, 'a damaged one is made again');
ok(slurp($first) eq $good, '... the same');
like(wakepath('index', '--summary', '--index-dir', $index, $trace)->{out}, qr/summary .* is fresh/, '... once');
wakepath('index', '--force', '--index-dir', $index, $trace);
ok(!-e $first, 'the summary goes with its index');
is(wakepath('index', '--summary-as', "$dir/as.wpm", '--host', 'other', '--index-dir', $index, $trace)->{status}, 0, '--summary-as');
is(json_of(fleet("$dir/as.wpm", '--format', 'json'))->{hosts}[0]{host}, 'other', '... under another name');
is(wakepath('index', '--summary-as', "$dir/as.wpm", '--index-dir', $index, $trace, "$dir/t 2.txt")->{status}, 2, '... of two hosts');

# ---- roles ----

# Databases have slower disks: that does not make them bad web servers.  One of them is a bad database.
my $roles = $list =~ s/\.txt'$/.txt' web/mgr;
for my $i (1 .. 10) {
	made_host("$dir/db$i.txt", seed => 1000 + $i, iterations => 100, disk => $i == 6 ? 30 : 6);
	$roles .= "db$i db$i.txt" . ($i == 10 ? '' : ' db') . "\n";
}
spew("$dir/roles", $roles);
my $by_role = json_of(fleet("$dir/roles", '--format', 'json'));
my %db = map { $_->{host} => $_ } grep { $_->{host} =~ /^db/ } @{ $by_role->{hosts} };
is($db{db6}{stands_out}, JSON::PP::true(), 'a database that is slower than the others');
like($db{db6}{cause}, qr/^block: /, '... by its disk');
is(join(' ', grep { $db{$_}{stands_out} } sort keys %db), 'db6', 'no other database');
is($db{db1}{role} . '/' . ($db{db10}{role} // 'none'), 'db/none', 'the roles');
is($db{db10}{stands_out}, undef, 'a host without a role is compared with none');
is(join(' ', sort grep { $standing{$_} } map { $_->{host} } grep { $_->{stands_out} } @{ $by_role->{hosts} }), join(' ', sort keys %standing), 'web servers are reported as before');
spew("$dir/no roles", $roles =~ s/ (?:web|db)$//mgr);
my $mixed = json_of(fleet("$dir/no roles", '--format', 'json'));
is(scalar(grep { $_->{stands_out} && $_->{host} =~ /^db/ } @{ $mixed->{hosts} }), 10, 'without roles all databases stand out');
like(wakepath(qw(fleet submit --slurm --dry-run), "$dir/roles")->{out}, qr/^'db1' '.*' 'db'$/m, 'submit passes the roles on');
like(fleet("$dir/roles")->{out}, qr/^HOST +ROLE +STANDS OUT/m, 'text has the roles');
unlike(fleet("$dir/hosts")->{out}, qr/ROLE/, '... if there are any');

# ---- no lists ----

$r = fleet("$dir/t 1.txt");
is($r->{status}, 2, 'a trace is no list');
like($r->{err}, qr/t 1\.txt is a trace, no list of hosts: give the folder/, '... and the message names it as such');
$r = fleet(sample('pipeline') . '/kernel/metadata');
like($r->{err}, qr/metadata is a file of a trace, no list of hosts/, 'a file of a trace');

# ---- a thousand ----

mkdir "$dir/thousand" or die;
for my $i (1 .. 1000) {
	my $from = $summaries[$i % @summaries];
	link $from, "$dir/thousand/$i.wpm" or copy($from, "$dir/thousand/$i.wpm") or die if -e $from;
}
my $m = measured(undef, 'fleet', "$dir/thousand", '--format', 'csv', '-o', '/dev/null');
is($m->{status}, 0, 'a thousand summaries');
SKIP: {
	skip 'not with sanitizers', 2 if $ENV{WAKEPATH} =~ /asan/;
	cmp_ok($m->{spent}, '<=', 1, sprintf 'in %.2f s', $m->{spent});
	cmp_ok($m->{memory}, '<=', 64 << 10, sprintf 'in %.1f MB', $m->{memory} / 1024);
}

done_testing;
