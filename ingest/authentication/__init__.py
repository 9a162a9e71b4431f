"""Who may speak in a group: keys, tags over what ordering uses, and replay windows.

mode            how a group is protected (`none`, `mac`, `aead`), by patterns of group ids
settings        what the operator may choose: the `[authentication]` section
secret          bytes that no log, repr or pickle shows
key_file        the file that keys live in, with its permissions checked
derivation      from a site's key to a group's, to a member's, to the one that is used
keyring         the live keys, reloaded on request, and the keys of senders that proved themselves
protection      tag or seal an envelope; check or open one
replay_window   which seqs of one incarnation were seen
replay_memory   the windows of all senders, bounded
gate            all of it together: may this datagram pass?

The agent asks the gate; members tag and check by the keyring (`members/keyed_post.py`). What is
promised and what is not stands in docs/edge/authentication.md.
"""
