#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Plays each screens/NAME.script and compares every file it writes with
# screens/NAME.FILE.  The first line of a script says how to start:
# "# wakepath ARGUMENTS", where $SAMPLES is the folder of sample traces, $SCREENS that of the scripts. (Clocks
# are given as a file, so that screens do not change with each nanosecond that estimates of clocks improve by.)
#
# REWRITE_SCREENS=1 (make screens) writes the expected files anew: look at the difference
# before you commit it.  Names as arguments: only these scripts.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use Cwd qw(abs_path);
use Test::More;

my $here = abs_path(dirname(__FILE__)) . '/screens';
my $samples = $ENV{SAMPLES} // abs_path("$here/../../../sample-traces");
my $program = $ENV{WAKEPATH} // abs_path("$here/../../../build/wakepath");
my $scratch = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
my $tmp = "$scratch/screens.$$";
local $ENV{TZ} = 'UTC';
local $ENV{XDG_CONFIG_HOME} = "$tmp/config";

sub slurp {
	my ($path) = @_;
	open my $f, '<', $path or return undef;
	local $/;
	return scalar <$f>;
}

# Run SCRIPT in an empty folder; returns that folder, exit status and standard error.
sub play {
	my ($name, $script) = @_;
	my $dir = "$tmp/$name";
	make_path($dir);
	my ($args) = (slurp($script) // '') =~ /\A# wakepath ([^\n]*)/ or die "$script: no line '# wakepath ...'";
	$args =~ s/\$SAMPLES/$samples/g;
	$args =~ s/\$SCREENS/$here/g;
	my $status = system("cd '$dir' && '$program' $args --script '$script' 2>stderr");
	my $err = slurp("$dir/stderr");
	unlink "$dir/stderr";
	return ($dir, $status >> 8, $err);
}

sub rewrite {
	my ($name, $dir) = @_;
	unlink glob "$here/$name.[!s]*";
	copy($_, "$here/$name." . basename($_)) for glob "$dir/*";
}

for my $script (sort glob "$here/*.script") {
	my $name = basename($script, '.script');
	next if @ARGV && !grep { $_ eq $name } @ARGV;
	subtest $name => sub {
		my ($dir, $status, $err) = play($name, $script);
		is $status, 0, 'ends well' or diag $err;
		rewrite($name, $dir) if $ENV{REWRITE_SCREENS};
		my @files = sort map { basename($_) } glob "$dir/*";
		my @expected = sort map { basename($_) =~ s/^\Q$name\E\.//r } grep { !/\.script$/ } glob "$here/$name.*";
		is_deeply \@files, \@expected, 'writes these files';
		for my $file (@files) {
			my ($got, $want) = (slurp("$dir/$file"), slurp("$here/$name.$file") // '');
			next if ok($got eq $want, $file);
			diag `diff -u '$here/$name.$file' '$dir/$file' | head -60`;
		}
	};
}
done_testing;
