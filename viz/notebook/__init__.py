"""What happens while a program runs: a pass recorded, cells followed, the panel."""
