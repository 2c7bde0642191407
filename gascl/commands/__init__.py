"""The subcommands of `gascl`, a module each."""
