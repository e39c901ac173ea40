#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Slow against fast on the recorded requests: the parts of each request, counted from babeltrace2's text of one host at a time, and by hand where noted.
use strict;
use warnings;
use FindBin;
use lib "$ENV{TOP}/tests/tools", $FindBin::Bin;
use List::Util qw(sum0);
use Math::BigFloat;
use Slow;
use Spans;
use Wake;
use Test::More;

Math::BigFloat->accuracy(60);
my $shared = $ENV{SHARED_TRACES};
my $chain = defined $shared && -d "$shared/rpc-chain" ? "$shared/rpc-chain" : sample('rpc-chain');

# ---- rpc-chain: h computes 10 ms on httpd, s sleeps 10 ms there, c computes 10 ms there, asks db, which computes 20 ms, and computes 10 ms more ----

my %host = map { $_ => Spans::of("$chain/$_") } qw(client httpd db);
my %clock = map { $_->{host} => $_ } @{ json_of(wakepath('sync', $chain, '--format', 'json'))->{hosts} };
sub by_client { my ($host, $t) = @_; return Math::BigFloat->new($clock{$host}{slope})->bmul($t)->badd($clock{$host}{offset_ns}) }
sub by_own { my ($host, $t) = @_; return Math::BigFloat->new($t)->bsub($clock{$host}{offset_ns})->bdiv($clock{$host}{slope})->badd("0.5")->bfloor->bstr }

# The last time up to T that thread TID left its CPU to wait.
sub left { my ($host, $tid, $t) = @_; my ($on) = reverse grep { $_->[1] <= $t && $_->[3] & 0xff } @{ $host{$host}{on}{$tid} }; return $on->[1] }
# When the last data of the server's reply that follows its mark at T is sent.
sub replied { my ($host, $t) = @_; my ($p) = grep { $_->{time} > $t && $_->{sent} && $_->{from} == 7000 } @{ $host{$host}{packets} }; return $p->{time} }

# The parts of the path of request NUMBER, of KIND, between two times of the client: { "host/thread kind" => ns by the client's clock }.
# The path is with the client except while it waits for the reply, then with httpd's server except while that waits for db.
sub parts_of {
	my ($number, $kind, $begun, $ended) = @_;
	my %parts;
	my $add = sub { my ($host, $tid, $name, $from, $to) = @_;
		my $account = Spans::account($host{$host}, $tid, $from, $to);
		$parts{"$host/$name $_"} += $account->{$_} * $clock{$host}{slope} for keys %$account };
	$add->('client', 572, 'wk-client', $begun, $ended);
	my $serve = $host{httpd}{marks}[2 * $number + 1];
	my $from = by_own('httpd', by_client('client', left('client', 572, $ended)));
	$add->('httpd', 492, 'wk-server', $from, replied('httpd', $serve->[0]));
	if ($kind eq 'c') {
		my $asked = left('httpd', 492, $serve->[0]);
		$add->('db', 412, 'wk-server', by_own('db', by_client('httpd', $asked)), replied('db', $host{db}{marks}[2 * int($number / 3) + 1][0]));
	}
	return { kind => $kind, took => $ended - $begun, parts => \%parts };
}

my @marks = @{ $host{client}{marks} };
my @requests = map { parts_of($_, $marks[2 * $_][2] =~ /^request begin ([hsc])/, $marks[2 * $_][0], $marks[2 * $_ + 1][0]) } 0 .. 11;
is(join('', map { $_->{kind} } @requests), 'hsc' x 4, 'there are twelve requests of three kinds');
# By hand, from the text:
#	[348129.943776] client lttng_logger "request begin c 0"		[348182.269679] "request end c 0"
#	[665066.069...] db sched_switch swapper/0 -> wk-server 412	… [665087.8…] db net_dev_queue ports 7000 49108, 1 byte of data
is($requests[2]{took}, 348182269679 - 348129943776, 'the first c takes the time worked out by hand');
for my $r (@requests) {
	my $db = $r->{parts}{'db/wk-server running'} // 0;
	$r->{kind} eq 'c' ? ok($db > 20e6 && $db < 22e6, "db computes for a c: $db ns") : is($db, 0, "db does nothing for a $r->{kind}");
}

my $between = 'between:lttng_logger[msg=request begin*]..lttng_logger[msg=request end*]';

sub mean_of { my ($code, @r) = @_; return @r ? sum0(map { $code->() } @r) / @r : 0 }

# The rows of all steps, for each thread and kind, compared with the text for those SLOW and those FAST.
sub as_counted {
	my ($name, $j, @requests) = @_;
	my ($slow, $fast) = map { my $is = $_; [grep { ($_->{kind} eq 'c') == $is } @requests] } !!1, !!0;
	my %said;
	$said{$_->{who} . ' ' . $_->{kind}} += $_->{difference} for Slow::rows($j);
	my %all = map { $_ => 1 } map { keys %{ $_->{parts} } } @requests;
	for my $part (sort keys %all) {
		my $expected = mean_of(sub { $_->{parts}{$part} // 0 }, @$slow) - mean_of(sub { $_->{parts}{$part} // 0 }, @$fast);
		my $got = $said{$part} // 0;
		# A path of a hundred pieces, each rounded to ns by another clock.
		cmp_ok(abs($got - $expected), '<=', 12, sprintf '%s: %s %.1f ns', $name, $part, $expected) or diag("it says $got");
	}
}

my @slow = grep { $_->{kind} eq 'c' } @requests;
my @fast = grep { $_->{kind} ne 'c' } @requests;
for my $how (['over 40ms'], ['top 33%']) {
	my $j = Slow::compare($chain, '--set', $between, '--slow', @$how);
	Slow::sound($j, "rpc-chain, @$how");
	Slow::sets($j, "rpc-chain, @$how", [map { $_->{took} } @slow], [map { $_->{took} } @fast]);
	as_counted("@$how", $j, @requests);
	my ($first) = Slow::rows($j);
	is("$first->{who} $first->{kind}", 'db/wk-server running', "@$how: db's running comes first");
	is_deeply($first->{in}, { slow => 4, fast => 0 }, '… in all slow ones');
	# All 4 of 4, of 12, have it by chance once in 495.
	is($first->{class}, 'structure', '… as structure');
	cmp_ok($first->{p}, '>=', 1 / 495 * 0.5, '… with a p value that is possible');
}

# The set of requests: from the first data of the client until it runs again, with the reply.
sub asked {
	my ($request, $begun, $ended) = @_;
	my ($sent) = grep { $_->{time} > $begun && $_->{sent} && $_->{to} == 7000 } @{ $host{client}{packets} };
	my ($got) = grep { $_->{time} > $begun && !$_->{sent} && $_->{from} == 7000 } @{ $host{client}{packets} };
	my ($runs) = grep { $_->[0] > $got->{time} } @{ $host{client}{on}{572} };
	return parts_of($request, $requests[$request]{kind}, $sent->{time}, $runs->[0]);
}
my @asked = map { asked($_, $marks[2 * $_][0], $marks[2 * $_ + 1][0]) } 0 .. 11;
for my $set ('requests:wk-client', 'requests:client/572') {
	my $j = Slow::compare($chain, '--set', $set, '--slow', 'gap');
	Slow::sound($j, $set);
	Slow::sets($j, $set, map { my $is = $_; [map { $_->{took} } grep { ($_->{kind} eq 'c') == $is } @asked] } !!1, !!0);
	as_counted($set, $j, @asked);
	my ($first) = Slow::rows($j);
	is("$first->{who} $first->{kind} $first->{class}", 'db/wk-server running structure', "$set: db's running comes first, only in the slow ones");
	is_deeply($first->{in}, { slow => 4, fast => 0 }, '… in all slow ones');
}

# By marks, too: 12.5 … 23.8 | 48.9 … 63.7 ms.
{
	my $j = Slow::compare($chain, '--set', $between);
	Slow::sound($j, 'gap by marks');
	Slow::sets($j, 'gap by marks', [map { $_->{took} } @slow], [map { $_->{took} } @fast]);
	my @sorted = sort { $a <=> $b } map { $_->{took} } @requests;
	is_deeply([@{ $j->{gap} // {} }{qw(from to)}], [@sorted[7, 8]], '… the natural gap is between these');
	my ($first) = Slow::rows($j);
	is("$first->{who} $first->{kind} $first->{class}", 'db/wk-server running structure', "… and names db's running");
}

# The members of a group, for which path can be queried.
sub members_are {
	my ($name, $group, @requests) = @_;
	is_deeply([map { $_->{to} - $_->{from} } @{ $group->{members} }], [map { $_->{took} } @requests], "$name: its members, in order");
	is(scalar(grep { $_->{thread} !~ m{wk-client|572} } map { ref $_->{thread} ? { thread => join ' ', %{ $_->{thread} } } : $_ } @{ $group->{members} }), 0, "$name: of the client");
}
{
	my $j = Slow::compare($chain, '--set', $between, '--group', 'structure');
	for my $group (@{ $j->{groups} }) {
		my ($kind) = map { $_->{kind} } grep { $_->{took} == $group->{max} } @requests;
		members_are("structure $kind", $group, grep { $_->{kind} eq $kind } @requests);
	}
}

# The groups by structure are the three kinds.
my $j = Slow::compare($chain, '--set', $between, '--group', 'structure');
is_deeply([sort map { "$_->{count} $_->{min} $_->{max}" } @{ $j->{groups} }], [sort map { my $k = $_; my @took = sort { $a <=> $b } map { $_->{took} } grep { $_->{kind} eq $k } @requests; "4 $took[0] $took[-1]" } qw(h s c)],
	'by structure: the groups are the three kinds') or diag(explain($j->{groups}));

# ---- django: the commit is in POST only ----

SKIP: {
	skip 'no recording of django', 1 if !defined $shared || !-d "$shared/django";
	my @set = map { "between:lttng_logger[msg=http begin $_*]..lttng_logger[msg=http end $_*]" } qw(post-vote get-*);
	my $j = Slow::compare("$shared/django", '--set', $set[0], '--against', $set[1]);
	Slow::sound($j, 'django');
	Slow::sets($j, 'django', [287795517, 284697680, 297061591], [609545045, 286414106, 280706047, 306081560, 239454427, 224219716]);
	# Of the six GETs postgres 730 733 734 737 738 741 never ask the disk. Of the POSTs, 732's write and flush are complete while it is on its CPU, or kworker/0:2H is; the others wait (db's clock, s):
	#	[703.296978666] sched_switch prev_tid = 736, prev_state = 2	[703.297014338] irq_handler_entry irq = 25	35672 ns for the write
	#	[704.164657293] sched_switch prev_tid = 740, prev_state = 2	[704.165410083] irq_handler_entry irq = 25	752790 ns for the write
	#	[704.165836205] sched_switch prev_tid = 740, prev_state = 2	[704.165886879] irq_handler_entry irq = 25	50674 ns for the flush
	my @disk = grep { $_->{kind} =~ /^(?:block|flush)$/ && $_->{text} =~ /postgres/ } Slow::rows($j);
	my %said;
	for (@disk) { $said{$_->{kind}}[0] += $_->{difference}; $said{$_->{kind}}[1] += $_->{in}{slow}; $said{$_->{kind}}[2] += $_->{in}{fast} }
	cmp_ok(abs(($said{block}[0] // 0) - (35672 + 752790) / 3), '<=', 15, 'django: the wait for the write of the commit');
	cmp_ok(abs(($said{flush}[0] // 0) - 50674 / 3), '<=', 3, 'django: the wait for its flush');
	is_deeply([map { @{ $said{$_} // [] }[1, 2] } qw(block flush)], [2, 0, 1, 0], 'django: two of the POSTs wait for the write, one for the flush, no GET');
	# (In nine paths that is no proof: any two of them are of the three POSTs once in twelve.)
	# kworker/0:2H takes the CPU of all three to issue the flush: [702.433718476] prev_tid = 732, prev_state = 256 → 127; [703.297366863] 736 → 127; [704.165739594] 740 → 127.
	my @flushed = grep { $_->{kind} eq 'preempted' && $_->{who} =~ /postgres/ } Slow::rows($j);
	ok(@flushed > 0, 'django: postgres is preempted');
	my $text = wakepath('compare', "$shared/django", '--set', $set[0], '--against', $set[1])->{out};
	like($text, qr{^only in post-vote: db/vda block \(2 of 3\).*db/vda flush \(1 of 3\)}m, 'django: the commit is named though it is small');
	unlike($text, qr/only in (?:slow|fast)|in the (?:slow|fast)/, 'django: nothing is slow or fast by choice');
	is_deeply([sort map { "$_->{side} $_->{count}" } @{ $j->{groups} }], ['before 6', 'now 3'], 'django: the groups in JSON are before and now');
}

done_testing();
