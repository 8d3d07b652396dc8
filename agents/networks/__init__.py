"""Networks at play: dense layers in a file with a compiled forward pass, and their inputs."""
