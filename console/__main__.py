"""`python -m console` is `precede`, for those who have not installed the command."""

from console.command import main

main()
