"""What every other package needs: arrays, errors, number format, cell addresses, files."""
