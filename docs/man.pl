#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# man.pl NAME SECTION SUMMARY VERSION < PAGE.md > PAGE: a manual page from a page of the documentation.
#
# Tables become tagged paragraphs: the first cell is the tag, the last one the text, those between stand before it.
use strict;
use warnings;
use utf8;
binmode $_, ':utf8' for *STDIN, *STDOUT;

my ($name, $section, $summary, $version) = map { utf8::decode($_); $_ } @ARGV;
die "usage: man.pl NAME SECTION SUMMARY VERSION < PAGE.md\n" if !defined $version;

# TEXT as it is, nowhere taken for a request.
sub plain {
	my ($t) = @_;
	$t =~ s/\\/\\e/g;
	$t =~ s/-/\\-/g;
	$t =~ s/`/\\(ga/g;
	$t =~ s/^([.'])/\\&$1/mg;
	return $t;
}

# Markdown within a line: code, bold, emphasis, links.
sub inline {
	my ($t) = @_;
	my $out = '';
	while ($t =~ /\G(?:`([^`]+)`|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*)\*|!?\[([^\]]*)\]\([^)]*\)|(.))/gcs) {
		$out .= defined $1 ? '\fB' . plain($1) . '\fR' : defined $2 ? '\fB' . plain($2 =~ s/`//gr) . '\fR'
			: defined $3 ? '\fI' . plain($3) . '\fR' : defined $4 ? plain($4 =~ s/`//gr) : $5 eq '-' ? '\-' : $5 eq '\\' ? '\e' : $5;
	}
	$out =~ s/^(?=[.'])/\\&/mg;
	return "$out\n";
}

sub cells { my ($line) = @_; $line =~ s/^\| *| *\|\s*$//g; return map { s/^\s+|\s+$//gr } split / *(?<!\\)\| */, $line, -1 }

sub table {
	my ($head, undef, @rows) = @_;
	my @head = cells($head);
	my $out = @head > 2 ? ".PP\n" . inline(join ', ', map { "*$_*" } grep { length } @head) : '';
	for my $row (@rows) {
		my ($tag, @rest) = cells($row);
		my $text = pop @rest;
		my $between = join ', ', grep { length } @rest;
		$out .= ".TP\n" . inline($tag) . inline(length $between ? length $text ? "($between) $text" : "($between)" : length $text ? $text : '-');
	}
	return $out;
}

my ($code, $begun, @paragraph, @table);
# Text before the first section is the description.
sub flush {
	print table(splice @table) if @table;
	return if !@paragraph;
	my $text = join ' ', splice @paragraph;
	print ".SH DESCRIPTION\n" if !$begun++;
	if ($text =~ s/^(?:[-*]|(\d+)\.) +//) { print defined $1 ? ".IP $1. 4\n" : ".IP \\(bu 2\n", inline($text) }
	else { print ".PP\n", inline($text) }
}

print qq(.TH "\U$name\E" $section "" "$version" "$name"\n.nh\n.ad l\n.SH NAME\n$name \\- ), plain($summary), "\n";
while (<STDIN>) {
	chomp;
	if ($code ? /^```$/ : /^```/) { flush(); print $code ? ".EE\n.in\n" : ".PP\n.in +4\n.EX\n"; $code = !$code }
	elsif ($code) { print plain($_), "\n" }
	elsif (/^    / && !@paragraph) { $code = 1; print ".PP\n.in +4\n.EX\n"; do { print plain($_ =~ s/^    //r =~ s/\n//r), "\n" } while defined($_ = <STDIN>) && /^    /; print ".EE\n.in\n"; $code = 0 }
	elsif (/^# /) { flush() }
	elsif (/^## +(.*)/) { flush(); $begun = 1; print ".SH ", uc $1, "\n" }
	elsif (/^###+ +(.*)/) { flush(); print ".SS ", plain($1), "\n" }
	elsif (/^\|/) { flush() if @paragraph; push @table, $_ }
	elsif (/^\s*$/) { flush() }
	else { flush() if @table || /^(?:[-*]|\d+\.) /; push @paragraph, s/^\s+//r }
}
flush();
