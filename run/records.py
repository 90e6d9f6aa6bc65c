"""Reads and writes the table of a report, which has a row for each kernel and for each access (count/table.h)."""

import csv


def read(path):
    """the rows of a table, each by the names of its columns"""
    with open(path, newline='', encoding='utf-8', errors='replace') as table:
        return list(csv.DictReader(table))


def write(path, rows):
    """writes rows that all have the same columns"""
    with open(path, 'w', newline='', encoding='utf-8') as table:
        writer = csv.DictWriter(table, list(rows[0]), lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)
