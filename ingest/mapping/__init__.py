"""Foreign traffic as messages: a mapping says which bytes are group, sender, sequence and parents.

foreign datagram ─> mapping ─> envelope bytes ─> intake, spool, topic, job: all unchanged

settings        the section [mapping] of the configuration
errors          what can be wrong with a datagram, by reason
fields          how one field is written, and what its value may be
json_fields     fields of a JSON document, by JSON Pointer
fixed_fields    fields at fixed places, as bytes, numbers or text
parents         which messages a datagram answers
mapping         all of it: a datagram in, an envelope out
"""
