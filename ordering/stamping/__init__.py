"""What a sender keeps so that it can stamp its messages: the other half of the stamped orders.

The engine reads stamps; these make them. Like the engine they are pure: a member calls them with
what it sends, receives and accepts, and puts the stamps that it gets into its messages.
"""
