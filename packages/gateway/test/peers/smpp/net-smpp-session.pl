#!/usr/bin/perl
# A client made of Net::SMPP, for net-smpp-client.ts: it binds, acknowledges what it is given, and writes what it hears
# as one JSON object a line. It reads what it is to do as words, one line each; the number comes back with the answer:
#
#   submit NUMBER RECEIVER DATA-CODING SCHEDULE PAYLOAD REFERENCE HEX
#                  SCHEDULE is "-" for none; PAYLOAD is 1 for message_payload; REFERENCE is 0 for none
#   query NUMBER ID
#   cancel NUMBER ID
#   enquire NUMBER
#   unbind NUMBER
#
# Usage: net-smpp-session.pl PORT AS VERSION SENDER SYSTEM-ID PASSWORD, where AS is "transmitter", "receiver" or
# "transceiver" and VERSION is that of SMPP in decimal.
use strict;
use warnings;
use IO::Select;
use JSON::PP;
use Net::SMPP;

my ($port, $as, $version, $sender, $system_id, $password) = @ARGV;
my %numbers;

$| = 1;
$SIG{PIPE} = 'IGNORE';
# Net::SMPP complains of every connection that ends, and of TLVs that it has no name for: ours of an inbound message.
$SIG{__WARN__} = sub {
    tell_test(event => 'warning', text => $_[0]) unless $_[0] =~ /premature eof|reset by peer|Unknown tag .*: 5632,/;
};

# To it a version is 4.0 or another; the PDUs of 3.3 and 5.0 are those of 3.4.
my $link = Net::SMPP->new_connect('127.0.0.1', port => $port, smpp_version => $version) or die "cannot connect: $!";
my $bind = "bind_$as";
my $bound = $link->$bind(system_id => $system_id, password => $password, interface_version => $version)
    or die 'no answer to the bind';
tell_test(event => 'bound', status => $bound->{status}, system_id => $bound->{system_id});

my $select = IO::Select->new($link, \*STDIN);
while (1) {
    for my $ready ($select->can_read) {
        if ($ready == $link) { hear() }
        else { obey() }
    }
}

sub tell_test { print encode_json({@_}), "\n" }

# By single octets, so that select sees what is left.
sub obey {
    my $line = '';
    while (1) {
        my $count = sysread STDIN, my $octet, 1;
        exit unless $count;
        last if $octet eq "\n";
        $line .= $octet;
    }
    my ($word, $number, @rest) = split / /, $line;
    my $seq;
    if ($word eq 'submit') {
        my ($receiver, $data_coding, $schedule, $is_payload, $reference, $hex) = @rest;
        $seq = $link->submit_sm(async => 1, source_addr_ton => 1, source_addr_npi => 1, source_addr => $sender,
            dest_addr_ton => 1, dest_addr_npi => 1, destination_addr => $receiver, registered_delivery => 1,
            data_coding => $data_coding,
            $schedule eq '-' ? () : (schedule_delivery_time => $schedule),
            $reference ? (user_message_reference => pack 'n', $reference) : (),
            ($is_payload ? 'message_payload' : 'short_message') => pack 'H*', $hex);
    }
    elsif ($word eq 'query') { $seq = $link->query_sm(async => 1, message_id => $rest[0]) }
    elsif ($word eq 'cancel') { $seq = $link->cancel_sm(async => 1, message_id => $rest[0]) }
    elsif ($word eq 'enquire') { $seq = $link->enquire_link(async => 1) }
    elsif ($word eq 'unbind') { $seq = $link->unbind(async => 1) }
    $numbers{$seq} = $number;
}

sub hear {
    my $pdu = $link->read_pdu;
    if (!$pdu) {
        tell_test(event => 'ended');
        exit;
    }
    my $name = $pdu->explain_cmd;
    my $seq = $pdu->{seq};
    if ($name =~ /_resp$/ || $name eq 'generic_nack') {
        # It takes a TLV's value as it is, with the octet that ends it.
        tell_test(event => 'answer', number => delete $numbers{$seq} // -1, command => $name, status => $pdu->{status},
            messageId => $pdu->{message_id} // '', state => $pdu->{message_state} // 0);
    }
    elsif ($name eq 'deliver_sm') {
        my $receipted = $pdu->{receipted_message_id} // '';
        $receipted =~ s/\0$//;
        tell_test(event => 'delivered', from => $pdu->{source_addr}, to => $pdu->{destination_addr},
            esmClass => $pdu->{esm_class}, dataCoding => $pdu->{data_coding}, receiptedId => $receipted,
            state => unpack('C', $pdu->{message_state} // "\0"),
            reference => unpack('n', $pdu->{user_message_reference} // "\0\0"),
            octets => unpack 'H*', $pdu->{message_payload} // $pdu->{short_message});
        $link->deliver_sm_resp(seq => $seq, message_id => '');
    }
    elsif ($name eq 'enquire_link') { $link->enquire_link_resp(seq => $seq) }
    elsif ($name eq 'unbind') {
        tell_test(event => 'unbind');
        $link->unbind_resp(seq => $seq);
    }
    else { tell_test(event => 'unexpected', command => $name) }
}
