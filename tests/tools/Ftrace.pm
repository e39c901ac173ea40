# SPDX-License-Identifier: MIT
# Writes a trace.dat of format 6 (trace-cmd.dat.v6(5)), with any byte order and width of the kernel's long, or of format 7 (trace-cmd.dat.v7(5)).
package Ftrace;
use strict;
use warnings;
use Compress::Zlib ();
use Exporter 'import';
our @EXPORT = qw(trace_dat trace_dat_7 ring_page ring_record event_format chunks_of);

my $page = 4096;

# The bytes of a field of TYPE called NAME: char x[N]; __data_loc …[]; pointers and longs have LONG bytes.
sub width {
	my ($type, $name, $long) = @_;
	return $1 if $type =~ /^char$/ && $name =~ /\[(\d+)\]/;
	return $1 * $long if $type =~ /long/ && $name =~ /\[(\d+)\]/;
	return 0 if $name =~ /\[\]/;
	return 4 if $type =~ /^__data_loc/;
	return $type =~ /\*|^unsigned long$|^long$|^size_t$/ ? $long : $type =~ /64|long long|sector_t|ktime_t/ ? 8 : $type =~ /short|u16/ ? 2 : $type =~ /char|u8|bool/ ? 1 : 4;
}

sub number {
	my ($value, $width, $big) = @_;
	my $bytes = pack 'q<', $value;
	my $cut = substr $bytes, 0, $width;
	return $big ? scalar reverse $cut : $cut;
}

my @common = ([ 'unsigned short', 'common_type' ], [ 'unsigned char', 'common_flags' ], [ 'unsigned char', 'common_preempt_count' ], [ 'int', 'common_pid' ]);

# [offset, bytes] of each field, aligned as by the kernel's compiler.
sub places {
	my ($fields, $long) = @_;
	my ($at, @places) = (0);
	for my $f (@$fields) {
		my $width = width(@$f, $long);
		my $align = $f->[1] =~ /\[\]/ ? ($f->[0] eq 'char' ? 1 : 4) : $f->[0] eq 'char' ? 1 : $f->[1] =~ /\[\d+\]/ ? $long : $width;
		$at = int(($at + $align - 1) / $align) * $align;
		push @places, [ $at, $width ];
		$at += $width;
	}
	return (\@places, $at);
}

sub format_of {
	my ($id, $name, $fields, $print, $long) = @_;
	my @all = (@common, @$fields);
	my ($places) = places(\@all, $long);
	my $text = "name: $name\nID: $id\nformat:\n";
	for my $i (0 .. $#all) {
		my ($type, $field) = @{$all[$i]};
		my $signed = $type =~ /^(?:int|pid_t|long|char|s64)$/ ? 1 : 0;
		$text .= "\tfield:$type $field;\toffset:$places->[$i][0];\tsize:$places->[$i][1];\tsigned:$signed;\n" . ($i == $#common ? "\n" : '');
	}
	return $text . "\nprint fmt: " . ($print // '"%d", REC->common_pid') . "\n";
}

sub record {
	my ($id, $fields, $event, $long, $big) = @_;
	my ($time, $cpu, $name, $pid, $flags, %values) = @$event;
	my @all = (@common, @$fields);
	my ($places, $size) = places(\@all, $long);
	my $behind = '';
	my $data = "\0" x $size;
	%values = (%values, common_type => $id, common_flags => $flags, common_preempt_count => 0, common_pid => $pid);
	for my $i (0 .. $#all) {
		my ($type, $field) = @{$all[$i]};
		(my $key = $field) =~ s/\[.*//;
		my ($at, $width) = @{$places->[$i]};
		my $value = $values{$key} // ($type eq 'char' ? '' : 0);
		if ($type =~ /^__data_loc/) {
			my $bytes = $type =~ /char/ ? "$value\0" : join '', map { number($_, $long, $big) } ref $value ? @$value : $value;
			$value = $size + length($behind) | length($bytes) << 16;
			$behind .= $bytes;
		}
		if ($field =~ /\[\]/) {	# up to the end of the record
			$behind = $type eq 'char' ? "$value\0" : join '', map { number($_, 4, $big) } @$value;
			$data = substr $data, 0, $at;
			next;
		}
		substr($data, $at, $width) = $type eq 'char' ? substr($value . "\0" x $width, 0, $width) : $field =~ /\[/ ? join('', map { number($value->[$_] // 0, $long, $big) } 0 .. $width / $long - 1) : number($value, $width, $big);
	}
	$data .= $behind;
	return $data . "\0" x (-length($data) % 4);
}

sub head_of_record { my ($type, $delta, $big) = @_; return number($big ? $type << 27 | $delta : $delta << 5 | $type, 4, $big) }

# The pages of one CPU.
sub pages {
	my ($records, $long, $big, $lost) = @_;	# LOST: events were lost before the first
	my ($all, $body, $first, $last) = ('', '');
	my $close = sub {
		$all .= number($first, 8, $big) . number(length($body) | ($lost && $all eq '' ? 1 << 31 : 0), $long, $big) . $body;
		$all .= "\0" x (-length($all) % $page);
		$body = '';
	};
	for my $r (@$records) {
		my ($time, $data) = @$r;
		my $one = sub { my ($delta) = @_; return length $data <= 112 ? head_of_record(length($data) / 4, $delta, $big) : head_of_record(0, $delta, $big) . number(4 + length $data, 4, $big) };
		# A new page if the time since the event before does not fit in an event.
		$close->() if $body ne '' && (length($body) + length($data) + 24 + $long + 8 > $page || $time - $last >= 1 << 59);
		$first = $last = $time if $body eq '';
		my $delta = $time - $last;
		$body .= head_of_record(30, $delta & (1 << 27) - 1, $big) . number($delta >> 27, 4, $big) if $delta >= 1 << 27;
		$body .= $one->($delta >= 1 << 27 ? 0 : $delta) . $data;
		$last = $time;
	}
	$close->() if $body ne '';
	return $all;
}

# LOST: the CPU that lost events before its first one.  CLOCK: of all buffers (mono).  FORMATS: [system, name, [[type, name]…], print fmt or undef]…; EVENTS: [time, CPU, name, thread, flags, field => value…]…, in order of time.
sub trace_dat {
	my (%o) = @_;
	my ($long, $big, $cpus) = ($o{long} // 8, $o{big} // 0, $o{cpus} // 2);
	my ($id, %systems, %formats) = (300);
	for my $f (@{$o{formats}}) {
		my ($system, $name, $fields, $print) = @$f;
		push @{$systems{$system}}, format_of($id, $name, $fields, $print, $long);
		$formats{$name} = [ $id++, $fields ];
	}
	my $sized = sub { my ($text, $width) = @_; return number(length $text, $width, $big) . $text };
	my $header = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:$long;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:" . (8 + $long) . ";\tsize:" . ($page - 8 - $long) . ";\tsigned:1;\n";
	my $head = "\x17\x08\x44tracing6\0" . chr($big) . chr($long) . number($page, 4, $big) . "header_page\0" . $sized->($header, 8) . "header_event\0" . $sized->("# compressed entry header\n", 8) . number(0, 4, $big);
	$head .= number(scalar keys %systems, 4, $big);
	for my $system (sort keys %systems) {
		$head .= "$system\0" . number(scalar @{$systems{$system}}, 4, $big) . join '', map { $sized->($_, 8) } @{$systems{$system}};
	}
	$head .= $sized->($o{kallsyms} // '', 4) . $sized->($o{printk} // '', 4) . $sized->($o{cmdlines} // '', 8) . number($cpus, 4, $big);
	my @options = ([ 4, "local global [" . ($o{clock} // 'mono') . "]\0" ], [ 5, ($o{uname} // 'Linux made 6.12.0 #1 SMP x86_64') . "\0" ], @{$o{options} // []});
	$head .= "options  \0" . join('', map { number($_->[0], 2, $big) . $sized->($_->[1], 4) } @options) . number(0, 2, $big) . "flyrecord\0";
	my $at = length($head) + 16 * $cpus;
	my $padding = "\0" x (-$at % $page);
	$at += length $padding;
	my $data = '';
	for my $cpu (0 .. $cpus - 1) {
		my $pages = pages([ map { [ $_->[0], record($formats{$_->[2]}[0], $formats{$_->[2]}[1], $_, $long, $big) ] } grep { $_->[1] == $cpu } @{$o{events}} ], $long, $big, ($o{lost} // -1) == $cpu);
		$head .= number($at + length $data, 8, $big) . number(length $pages, 8, $big);
		$data .= $pages;
	}
	return $head . $padding . $data;
}

# ---- format 7, of a 64-bit little-endian kernel, packed by zlib ----

# The text of the format of event ID, called NAME, with FIELDS, [declaration, offset, bytes]…; the only common field is common_type.
sub event_format {
	my ($id, $name, @fields) = @_;
	return "name: $name\nID: $id\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" .
		join('', map { "\tfield:$_->[0];\toffset:$_->[1];\tsize:$_->[2];\tsigned:1;\n" } @fields) . "\nprint fmt: \"\"\n";
}

# A record 1 ns after the one before; and a page of records from TIME on.  LOST: records were lost before the page.
sub ring_record { my ($data) = @_; return length $data <= 112 ? pack('V', 1 << 5 | length($data) / 4) . $data : pack('VV', 1 << 5, 4 + length $data) . $data }
sub ring_page { my ($records, $time, $size, $lost) = @_; return pack('Q<Q<', $time // 1000, length($records) | ($lost ? 1 << 31 : 0)) . $records . "\0" x (($size // $page) - 16 - length $records) }

# Chunks of pages: [bytes, how often (1), declared size (that of bytes)]…
sub chunks_of {
	my (@chunks) = @_;
	my $n = 0;
	$n += $_->[1] // 1 for @chunks;
	return pack('V', $n) . join '', map { my $z = Compress::Zlib::compress($_->[0], 9); my $chunk = pack('VV', length $z, $_->[2] // length $_->[0]) . $z; $chunk x ($_->[1] // 1) } @chunks;
}

# SYSTEMS: name → formats; SECTIONS: [number of its option, bytes, how often the option appears (1)]…; BUFFERS: [name, [CPU, chunks or [offset, size] of other chunks]…]…;
# OPTIONS: [number, bytes]…; PAGE: bytes; BEHIND: number of unused bytes at the end.
sub trace_dat_7 {
	my (%o) = @_;
	my $file = "\x17\x08\x44tracing7\0\0\x08" . pack('V', $page) . "zlib\x001\0";
	my $slot = length $file;
	my @options = @{$o{options} // []};
	$file .= "\0" x 8;
	my $section = sub {
		my ($id, $bytes) = @_;
		my ($at, $z) = (length $file, Compress::Zlib::compress($bytes, 9));
		$file .= pack('vvVQ<VV', $id, 1, 0, 8 + length $z, length $z, length $bytes) . $z;
		return $at;
	};
	my $sized = sub { return pack('Q<', length $_[0]) . $_[0] };
	my %systems = %{$o{systems}};
	my $systems = pack('V', scalar keys %systems) . join '', map { my $s = $_; "$s\0" . pack('V', scalar @{$systems{$s}}) . join '', map { $sized->($_) } @{$systems{$s}} } sort keys %systems;
	for my $s ([ 16, "header_page\0" . $sized->('') . "header_event\0" . $sized->('') ], [ 17, pack 'V', 0 ], [ 18, $systems ], @{$o{sections} // []}) {
		my $at = $section->(@$s);
		push @options, ([ $s->[0], pack 'Q<', $at ]) x ($s->[2] // 1);
	}
	for my $b (@{$o{buffers}}) {
		my ($name, @cpus) = @$b;
		my $option = pack('Q<', length $file) . "$name\0mono\0" . pack 'VV', $o{page} // $page, scalar @cpus;
		$file .= pack 'vvVQ<', 3, 1, 0, 0;
		for (@cpus) {
			my ($cpu, $bytes) = @$_;
			$option .= pack 'VQ<Q<', $cpu, ref $bytes ? @$bytes : (length $file, length $bytes);
			$file .= ref $bytes ? '' : $bytes;
		}
		push @options, [ 3, $option ];
	}
	substr($file, $slot, 8) = pack 'Q<', $section->(0, join('', map { pack('vV', $_->[0], length $_->[1]) . $_->[1] } @options) . pack('vVQ<', 0, 8, $o{next} // 0));
	return $file . "\0" x ($o{behind} // 0);
}

1;
