"""The one format of the bench's tables: CSV with these columns, of which a row has those that its program measures.

Which card, which commit of cmk, when, and of which table of ./cmk bench the row is; then what bench.h writes; bursts of
convolutions; passes of steps; and the fastest of others.
"""

import csv
import subprocess
from pathlib import Path

ORIGIN = ['card', 'commit', 'date', 'table']
COLUMNS = [*ORIGIN, 'kernel', 'points', 'milliseconds', 'GB/s', 'percent of copy', 'TFLOP/s', 'percent of peak',
           'percent of limit', 'error', 'SM MHz', 'W', 'burst ms', 'sustained ms', 'steps of a pass', 'copies',
           'bytes alone', 'milliseconds alone', 'copies alone', 'differing', 'best peer', 'times as fast']


def read_table(path):
    with open(path, newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def write_table(path, rows):
    with open(path, 'w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, COLUMNS, restval='', lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows)


def commit_of(root):
    """that is checked out in a folder, `-dirty` where it has been edited; unknown where git knows none"""
    def git(*words):
        try:
            done = subprocess.run(['git', '-C', root, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  encoding='utf-8', check=True)
        except (OSError, subprocess.CalledProcessError):
            return ''
        return done.stdout.strip()
    top = git('rev-parse', '--show-toplevel')
    own = top and Path(top).resolve() == Path(root).resolve()  # the folder may lie in another project
    return (git('describe', '--always', '--dirty', '--exclude=*') if own else '') or 'unknown'
