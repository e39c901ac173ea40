# SPDX-License-Identifier: MIT
package Proved;

# A test derives its results from raw events, which takes nearly all of its time.  They depend only on the test's own files and the bytes of the
# traces.  So a run without failures is stored: the questions that it asked the program, and a digest of all answers (exit status, standard
# output, standard error).  Unless a byte of test or traces changes, equal answers are right.  A different answer, or any change of test
# or trace, derives the results again.
#
# A proof is a file in $TEST_CACHE/proved (run_one), outside the checkout.  The results are always derived if that folder is missing, with
# PROOFS=none ("make sweep"), and with the variables ORACLE_... that choose the results to derive.

use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5 qw(md5_hex);
use File::Basename qw(dirname);
use File::Find;
use File::Path qw(make_path);
use File::Temp;
use Starter;
use Test::More;

my $tests = dirname(dirname(abs_path(__FILE__)));
our $folder = defined $ENV{TEST_CACHE} ? "$ENV{TEST_CACHE}/proved" : undef;
my $derive = ($ENV{PROOFS} // '') eq 'none' || grep { /^ORACLE_/ && !/^ORACLE_(TRACE|SHOW)$/ } keys %ENV;

# Run PROVE, which compares answers of the program with raw events, unless the proof NAME holds.  PROVE asks only about PATHS,
# { name => folder or file }, by Ask.pm or Wake::wakepath().  ALSO: the text of anything else that it depends on, such as lines of tables.
sub holds {
	my ($name, $paths, $also, $prove) = @_;
	return $prove->() if $derive || !$folder;
	my $file = "$folder/" . $name =~ s{/}{-}gr;
	my $key = _key($paths, $also, (caller)[1]);
	my ($known, $digest, @questions) = _read($file);
	if ($known eq $key && $digest eq _digest($paths, \@questions)) {
		pass("$name: " . @questions . ' answers are the proved ones');
		return;
	}
	_record($file, $key, $paths, $prove);
}

# ------------------------------------------------------------ keys

# A digest of all that the results depend on: the loaded files of the tests, the traces, and ALSO.
sub _key {
	my ($paths, $also, $asks) = @_;
	my %ours = map { $_ => 1 } grep { index($_, "$tests/") == 0 } map { abs_path($_) } values %INC, $asks;
	my @traces = map { my $path = $paths->{$_}; "$_ " . join ' ', map { substr($_, length $path) . ' ' . _md5($_) } _files($path) } sort keys %$paths;
	return md5_hex(join "\n", (map { substr($_, length $tests) . ' ' . _md5($_) } sort keys %ours), @traces, $also);
}

sub _files {
	my ($path) = @_;
	return $path if -f $path;
	my @found;
	find({ no_chdir => 1, follow => 1, wanted => sub { push @found, $_ if -f } }, $path);
	return sort @found;
}

sub _md5 {
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	return Digest::MD5->new->addfile($in)->hexdigest;
}

# ------------------------------------------------------------ answers

# A pattern that any of PATHS matches, and { path => name }.
sub _names {
	my ($paths) = @_;
	my %name = reverse %$paths;
	return (join('|', map { quotemeta } sort { length $b <=> length $a } keys %name), %name);
}

# An MD5 object and a function that adds answers to it, independent of the place of the traces.  The path, size and build time of the index are
# left out.
sub _digester {
	my ($paths) = @_;
	my ($any, %name) = _names($paths);
	my $md5 = Digest::MD5->new;
	return ($md5, sub {
		for my $text (@_) {
			$text =~ s/"index":\{"path":"[^{}]*\}/"index"/g;
			$text =~ s/($any)/{$name{$1}}/g;
			$md5->add(length $text, ' ', $text);
		}
	});
}

# The digest of the program's answers now.
sub _digest {
	my ($paths, $questions) = @_;
	my ($md5, $add) = _digester($paths);
	my $scratch = File::Temp->newdir(TEMPLATE => 'wakepath-proved-XXXXXX', TMPDIR => 1);
	for my $question (@$questions) {
		my @words = map { s/^\{(.*?)\}/$paths->{$1}/r } @$question;
		$add->(Starter::run($ENV{WAKEPATH}, @words, '--index-dir', "$scratch/index"));
	}
	return $md5->hexdigest;
}

# ------------------------------------------------------------ files

# Key, digest, and questions of FILE.  A line has the words of a question; an empty word repeats that of the line before.
sub _read {
	my ($file) = @_;
	open my $in, '<', $file or return ('', '');
	my ($key, $digest, @lines) = map { s/\n\z//r } <$in>;
	my @before;
	my @questions = map {
		my @words = split /\t/, $_, -1;
		$words[$_] = $words[$_] eq '' ? $before[$_] : $words[$_] for 0 .. $#words;
		[ @before = @words ];
	} @lines;
	return ($key // '', $digest // '', @questions);
}

# Run PROVE, and store its proof if nothing fails.
sub _record {
	my ($file, $key, $paths, $prove) = @_;
	my ($md5, $add) = _digester($paths);
	my ($any, %name) = _names($paths);
	my (@lines, @before, %asked, $odd);
	my $hear = sub {
		my ($question, @answer) = @_;
		return if $asked{join "\t", @$question}++;
		my @words = map { s/^($any)(?=\/|$)/{$name{$1}}/r } @$question;
		$odd //= "@$question" if grep { $_ eq '' || /^\// || /[\t\n]/ } @words;
		push @lines, join "\t", map { $_ < @before && $words[$_] eq $before[$_] ? '' : $words[$_] } 0 .. $#words;
		@before = @words;
		$add->(@answer);
	};
	my $results = sub { return scalar grep { !$_->{actual_ok} || $_->{type} eq 'skip' } Test::More->builder->details };
	my $before = $results->();
	{
		no warnings 'once';
		local ($Ask::listener, $Wake::listener) = ($hear, $hear);
		$prove->();
	}
	if ($odd || !@lines || $results->() > $before) {
		unlink $file;
		diag("$file: no proof, as " . ($odd ? "this question is about something else: $odd" : @lines ? 'something failed' : 'nothing was asked'));
		return;
	}
	make_path($folder);
	open my $out, '>', "$file.new" or die "$file.new: $!";
	print $out map { "$_\n" } $key, $md5->hexdigest, @lines;
	close $out or die "$file.new: $!";
	rename "$file.new", $file or die "$file: $!";
}

1;
