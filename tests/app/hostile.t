#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Names in a trace are hostile: they reach no terminal and break no export.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

# Names of exactly 16 bytes, as the kernel has them.
my @names = ("\e]0;owned\a,\"\r\n\t\0", "\xc2\x9b31m\xe2\x80\xae\xff\xfe,\",\x1b\0\0", "';=1+1|\\u0041\"\"\0\0", "%s%n%d\\\",\n\n\n\0\0\0\0");

for my $i (0 .. $#names) {
	my $name = substr("$names[$i]" . "\0" x 16, 0, 16);
	my $trace = copy_trace('pipeline', "hostile$i");
	patch($_, sub { s/wk-pipe-main\0\0\0\0/$name/g }) for glob "$trace/kernel/k_*";
	my @t = ($trace, '--thread', '434');
	for my $command (['info', $trace], ['threads', $trace], ['states', @t], ['states', $trace, '--cpu', 0], ['wakeups', @t],
			 ['path', @t], ['latency', $trace, '--kind', 'wakeup', '--top', 100], ['events', $trace, '--top', 0], ['index', '--force', $trace]) {
		my $what = "name $i: $command->[0]";
		my $r = wakepath(@$command);
		is($r->{status}, 0, $what) or diag($r->{err});
		no_raw_controls($r->{out}, "$what: text");
		no_raw_controls($r->{err}, "$what: standard error");
		next if $command->[0] eq 'index';
		my $json = wakepath(@$command, '--format', 'json');
		no_raw_controls($json->{out}, "$what: JSON");
		json_of($json);
		my $markdown = wakepath(@$command, '--format', 'markdown');
		no_raw_controls($markdown->{out}, "$what: Markdown");
		# A table's line has as many columns as its heading, and nothing in it is a mark of Markdown or HTML.
		my ($columns, @wrong) = (0);
		for my $line (split /\n/, $markdown->{out}) {
			$columns = 0, next if $line !~ /^\|/;
			(my $plain = $line) =~ s/\\[[:punct:]]//g;
			$columns ||= $plain =~ tr/|//;
			push @wrong, $line if $plain =~ tr/|// != $columns || $plain =~ /[\\<>&*_`~\[\]]/;
		}
		is_deeply(\@wrong, [], "$what: Markdown is one table");
		my $csv = csv_of(wakepath(@$command, '--format', 'csv'));
		is(scalar(grep { @$_ != @{ $csv->[0] } } @$csv), 0, "$what: CSV has as many fields in every line");
	}
	my $thread = json_of(wakepath('states', @t, '--format', 'json'))->{subject};
	isnt($thread->{name}, 'wk-pipe-main', "name $i: the trace was changed");
	# Printable characters are not changed.
	(my $plain = $name) =~ s/\0.*//s;
	$plain =~ s/[^\x20-\x7e]+//g;
	(my $shown = $thread->{name}) =~ s/\x{fffd}+//g;
	is($shown, $plain, "name $i: printable characters are kept") if $i != 1;
	# The name on the screen is the name to type.
	utf8::encode(my $typed = $thread->{name});
	my $r = wakepath('states', $trace, '--thread', $typed, '--format', 'json');
	is(json_of($r)->{subject}{tid}, 434, "name $i: the name as shown can be typed");
}

# The name of an event, which is also a name of LTTng's in the index.
my $file = "$ENV{TMPDIR}/event.dat";
spew($file, trace_dat(formats => [ [ sched => 'sched_switch', [ [ pid_t => 'prev_pid' ], [ pid_t => 'next_pid' ] ] ], [ irq_vectors => "a\xff\e_entry", [ [ int => 'vector' ] ] ] ],
	events => [ map { [ 1000 + $_, $_ % 2, 'sched_switch', 1, 0, prev_pid => 1, next_pid => 2 ] } 1 .. 10 ]));
for my $command ('index', 'info', 'events') {
	my $r = wakepath($command, $file);
	is("$r->{status} $r->{signal}", '0 0', "a hostile name of an event: $command") or diag($r->{err});
	no_raw_controls($r->{out}, "a hostile name of an event: $command");
}

# The folder's own name.
my $folder = copy_trace('pulse', "a\e[31m\nb,\"c");
for my $command ('info', 'index', 'verify') {
	my $r = wakepath($command, $folder);
	is($r->{status}, 0, "a hostile folder: $command") or diag($r->{err});
	no_raw_controls($r->{out}, "a hostile folder: $command");
}
json_of(wakepath('info', $folder, '--format', 'json'));
my $csv = csv_of(wakepath('info', $folder, '--format', 'csv'));
like($csv->[1][0], qr{/a\xef\xbf\xbd\[31m\xef\xbf\xbdb,"c/kernel\z}, 'its path is one field');

done_testing();
