"""What must come before a message, per discipline, worked out from the senders' history."""
