#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Linux 4.14 to 4.19 encoded the state of a thread that leaves a CPU in one of three ways, which wakepath recognises from the states themselves: they
# are right from the first event on.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $scratch = $ENV{TMPDIR};

# A copy of the sample NAME that claims the kernel RELEASE, a text as long as its own.
sub copy {
	my ($name, $release) = @_;
	my $to = "$scratch/$name-$release";
	system('cp', '-r', sample($name), $to) == 0 or die;
	system('chmod', '-R', 'u+w', $to) == 0 or die;
	my @metadata = grep { m{/metadata$} } files_below($to);
	for my $path (@metadata) {
		open my $f, '+<:raw', $path or die;
		local $/;
		my $bytes = <$f>;
		$bytes =~ s/(kernel_release = ")([^"]*)/$1 . (length $2 == length $release ? $release : die "$2 is of another length\n")/e or die;
		seek $f, 0, 0;
		print $f $bytes;
		close $f or die;
	}
	return $to;
}

# The time each thread was in each state.
sub threads_of { my ($trace) = @_; return json_of(wakepath('threads', $trace, '--format', 'json')) }

for my $name (qw(pipeline vm-preempt)) {
	my $then = threads_of(copy($name, '4.19.0-5-amd64'));
	cmp_ok(scalar(@{ $then->{threads} }), '>', 20, "$name: threads");
	is_deeply($then, threads_of(sample($name)), '… as a present kernel writes them: the release makes no state unknown');
}

done_testing;
