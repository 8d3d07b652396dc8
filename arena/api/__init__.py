"""Arena from Python: what `import arena` offers to notebooks and scripts."""
