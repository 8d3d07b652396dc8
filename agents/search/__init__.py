"""Compiled searches on the kernel's playouts and samplers."""
