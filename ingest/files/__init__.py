"""Capture files (pcap and pcapng) as a source of datagrams, through the same path as live ones.

bytes ─> pcap / pcapng ─> link layer ─> internet (fragments joined) ─> UDP ─> take(Datagram)

errors          what can be wrong: a file that is no capture (raised), a record (counted)
packet          one record of a file, and the tally of what became of all of them
pcap, pcapng    the two formats
opening         which of them a file is
link_layers     where the internet packet begins
internet        IPv4 and IPv6 headers
fragments       datagrams that were sent in pieces
datagrams       from packets to UDP datagrams
source          the thread, and its pace
"""
