"""./cmk bench without a GPU: nvcc and nvidia-smi are stand-ins; what nvcc makes says that it ran, and writes a row."""

import csv
import os
import re
import shutil
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / 'bench')]
from harness import ROOT, Failure, Skip, arguments, folder, must, report, run, until  # noqa: E402
from script import Kit, says  # noqa: E402
from table import COLUMNS, read_table, write_table  # noqa: E402

SMI = '''#!/bin/sh
case $1 in -L) echo 'GPU 0: it' ;; *) cat "$BENCH_WORK/card" ;; esac
'''
# files of $BENCH_WORK say which programs do not compile, stop, or wait, by the names of their files
NVCC = '''#!/bin/sh
told() { grep -qx "$2" "$BENCH_WORK/$1" 2>/dev/null; }
for word; do
    case $word in
    --version) echo 'release 0'; exit ;;
    -cubin) exit ;;
    --dryrun) cat "$BENCH_WORK/arch" >&2; exit ;;
    *.part) target=$word ;;
    *.cu) name=$(basename "$word" .cu) ;;
    -l*) name=$name$word ;;
    esac
done
if told waits-in-nvcc "$name"; then
    echo $$ >"$BENCH_WORK/pid"
    exec sleep 600
fi
told broken "$name" && { echo "$name has no such word" >&2; exit 2; }
echo "built $name" "$@" >>"$BENCH_WORK/done"
cat >"$target" <<END
#!/bin/sh
echo "ran $name" | tee -a "$BENCH_WORK/done"
grep -qx "$name" "$BENCH_WORK/waits" 2>/dev/null && exec sleep 600
grep -qx "$name" "$BENCH_WORK/stops" 2>/dev/null && exit 3
[ \\$# = 0 ] || printf 'kernel,milliseconds\\\\n$name,1\\\\n' >"\\$1"
END
chmod +x "$target"
'''
SCRIPT = '''
import os, sys
with open(os.environ['BENCH_WORK'] + '/done', 'a') as file:
    print('ran', os.path.basename(__file__)[:-3], file=file)
with open(sys.argv[1]) as file:
    head = file.readline().split(',')
with open(sys.argv[1], 'a') as file:
    print(*[{'kernel': 'a peer', 'milliseconds': 2}.get(name, '') for name in head], sep=',', file=file)
'''
PATIENCE = 10  # seconds until a process that was started has said so, and until one that was ended is gone


def within(seconds, condition):
    """whether it becomes true in so many seconds"""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.05)
    return True


class Bench:
    """a house with the script, the bench, and stand-ins before everything else on the PATH"""

    def __init__(self, work, include):
        self.work, self.tools = Path(work), Path(work) / 'tools'
        self.house, self.build = Path(work) / 'a house', Path(work) / 'a house' / 'build'
        Kit(work, include)
        (self.house / 'bench').unlink()
        shutil.copytree(ROOT / 'bench', self.house / 'bench', ignore=shutil.ignore_patterns('results', '__pycache__'))
        (self.house / 'examples').symlink_to(ROOT / 'examples')
        for name in ('peers', 'stencil_peers', 'plot'):
            (self.house / 'bench' / f'{name}.py').write_text(SCRIPT if name != 'plot' else '')
        self.tools.mkdir()
        for tool, script in (('nvcc', NVCC), ('nvidia-smi', SMI)):
            (self.tools / tool).write_text(script)
            (self.tools / tool).chmod(0o755)
        self.tell('card', 'a card')
        self.tell('arch', 'sm_80')
        self.variables = {'BENCH_WORK': str(self.work), 'CUDA_VISIBLE_DEVICES': '',
                          'PATH': f'{self.tools}{os.pathsep}{os.environ["PATH"]}'}

    def tell(self, name, *words):
        (self.work / name).write_text(''.join(f'{word}\n' for word in words))

    def did(self):
        """what was built and run since the last call"""
        path = self.work / 'done'
        lines = path.read_text().splitlines() if path.is_file() else []
        path.unlink(missing_ok=True)
        return [' '.join(line.split()[:2]) for line in lines]

    def bench(self, *words, wanted=0):
        status, output = run([self.house / 'cmk', 'bench', *words], cwd=self.work, **self.variables)
        if status != wanted or 'Traceback' in output:
            raise Failure(f'exit status {status}, not {wanted}\n{output}')
        return output

    def interrupted(self, line, *words, behind=lambda: True):
        """after a line that begins so, as soon as behind() is true"""
        names = [f'{name}={value}' for name, value in self.variables.items()]
        lines = until(['env', *names, self.house / 'cmk', 'bench', *words],
                      lambda said: said.startswith(line) and within(PATIENCE, behind), cwd=self.work)
        if not lines or not lines[-1].startswith(line):
            raise Failure('\n'.join(lines))

    def table(self, name, *kernels):
        """its kernels and times, and where each row comes from; the house is not under git"""
        text = (self.build / f'{name}.csv').read_text()
        rows = list(csv.DictReader(text.splitlines()))
        own = [row for row in rows if row['kernel'] != 'a peer']
        found = [(row['kernel'], row['milliseconds']) for row in rows]
        if found != [(kernel, '2' if kernel == 'a peer' else '1') for kernel in kernels] or list(rows[0]) != COLUMNS:
            raise Failure(f'{name}: {text}')
        if any((row['card'], row['commit'], row['table']) != ('a card', 'unknown', name) for row in own) or not all(
                re.fullmatch(r'20\d\d-\d\d-\d\d \d\d:\d\d', row['date']) for row in own):
            raise Failure(f'{name}, of another card, commit, date or table: {text}')

    def expect(self, *wanted):
        did = self.did()
        if did != list(wanted):
            raise Failure(f'did {did}\nnot {list(wanted)}')


def sources(bench):
    return {path.stem for path in (bench.house / 'bench').glob('*.cu')}


def named(bench):
    bench.bench('conv2d')
    bench.expect('built conv2d', 'ran conv2d')
    bench.table('convolution', 'conv2d')
    says(bench.bench('conv2d'), 'conv2d: measured before', '--again')
    bench.expect()
    bench.bench('--again', 'conv2d')
    bench.expect('ran conv2d')
    bench.table('convolution', 'conv2d')


def several(bench):
    output = bench.bench('fft', 'examples/transpose', 'separable')
    says(output, '[3/3] ', 'ran separable', 'tables: build/convolution.csv')
    did = bench.did()
    if sorted(did[:3]) != ['built fft-lcufft', 'built separable', 'built transpose']:
        raise Failure(f'did {did}')
    if did[3:] != ['ran transpose', 'ran separable', 'ran fft-lcufft']:
        raise Failure(f'did {did}')
    bench.table('convolution', 'separable', 'fft-lcufft')
    bench.bench('steps')
    bench.table('steps', 'steps1d', 'steps2d', 'steps_systems', 'steps3d')


def unknown(bench):
    says(bench.bench('conv2d', 'conv4d', wanted=1), 'no conv4d in the bench, which has: bench ', ' conv2d ', ' gpus',
         ' examples/transpose', ' steps', ' stencil_peers')
    bench.expect()


def interrupted(bench):
    bench.tell('waits', 'separable')
    bench.interrupted('ran separable', 'conv2d', 'separable', 'conv3d')
    bench.table('convolution', 'conv2d')
    bench.did()
    bench.tell('waits')
    bench.bench('conv2d', 'separable', 'conv3d')
    bench.expect('ran separable', 'ran conv3d')
    bench.table('convolution', 'conv2d', 'separable', 'conv3d')


def kept_as_records(bench):
    """current.py adds rows once, of the newest of which it makes the page; others it refuses"""
    results = bench.house / 'bench' / 'results'
    (results / 'history').mkdir(parents=True)
    (results / 'README.md').write_text(''.join(f'<!-- {name}: made by bench/current.py -->\n<!-- end of {name} -->\n'
                                               for name in ('figures', 'records')))
    (results / 'history' / '2020-01-01-a.md').write_text('# an old record\n')
    old = dict(zip(COLUMNS, ['a card', 'f00', '2020-01-01', 'stencils', 'star, 512^3', '1', '7']))
    write_table(results / 'history' / '2020-01-01-a.csv', [{**old, 'percent of limit': 50}])
    new = {**old, 'commit': 'f01', 'date': '2020-01-02 03:04', 'milliseconds': 6, 'percent of limit': 60}
    write_table(bench.work / 'new.csv', [new])
    for _ in range(2):
        must([sys.executable, bench.house / 'bench' / 'current.py', bench.work / 'new.csv'])
    says((results / 'README.md').read_text(),
         '| star, 512^3 | 6.0000 | 60.0 | [01-02 f01](history/2020-01-02-a-stencils.csv)',
         '[2020-01-01-a](history/2020-01-01-a.md) | an old record |')
    if len(read_table(results / 'history' / '2020-01-02-a-stencils.csv')) != 1:
        raise Failure('a row was added twice')
    (bench.work / 'report.csv').write_text('record,kernel\naccess,k\n')
    says(run([sys.executable, bench.house / 'bench' / 'current.py', bench.work / 'report.csv'])[1],
         'not a table of ./cmk bench')


def alive(number):
    """whether a process runs; one that nobody has asked for its end does not"""
    try:
        return not re.search(r'^State:\s+Z', Path(f'/proc/{number}/status').read_text(), re.MULTILINE)
    except OSError:
        return False


def interrupted_builds(bench):
    if not Path('/proc/self/status').is_file():
        raise Skip('no /proc')
    bench.tell('waits-in-nvcc', 'conv2d')
    pid = bench.work / 'pid'
    bench.interrupted('[1/2] separable: built in ', 'conv2d', 'separable',
                      behind=lambda: pid.is_file() and pid.read_text().endswith('\n'))
    number = pid.read_text().strip()
    if not within(PATIENCE, lambda: not alive(number)):
        raise Failure('nvcc still runs')
    bench.expect('built separable')
    bench.tell('waits-in-nvcc')
    bench.bench('conv2d', 'separable')
    bench.expect('built conv2d', 'ran conv2d', 'ran separable')


def stops(bench):
    bench.tell('stops', 'separable')
    says(bench.bench('conv2d', 'separable', 'conv3d', wanted=1), 'separable stopped: exit status 3', '1 failed')
    bench.table('convolution', 'conv2d', 'conv3d')
    bench.did()
    bench.tell('stops')
    bench.bench('conv2d', 'separable', 'conv3d')
    bench.expect('ran separable')
    bench.table('convolution', 'conv2d', 'separable', 'conv3d')


def broken(bench):
    bench.tell('broken', 'conv2d', 'npp-lnppif-lnppc', 'gpus-lnccl')
    says(bench.bench('conv2d', 'conv3d', wanted=1), 'conv2d has no such word', 'conv2d: does not compile', '1 failed')
    bench.expect('built conv3d', 'ran conv3d')
    says(bench.bench('npp', 'conv3d'), 'npp: left out: a header or a library is missing')
    bench.expect()
    bench.bench('gpus')
    bench.expect('built gpus', 'ran gpus')


def changed(bench):
    bench.bench('conv2d')
    bench.did()
    bench.tell('card', 'another card')
    bench.bench('conv2d')
    bench.expect('ran conv2d')
    with open(bench.house / 'bench' / 'convolution.h', 'a') as header:
        header.write('/* another */\n')
    bench.bench('conv2d')
    bench.expect('built conv2d', 'ran conv2d')
    bench.tell('arch', 'sm_90')
    bench.bench('conv2d')
    if '-gencode arch=compute_90a,code=sm_90a' not in (bench.work / 'done').read_text():
        raise Failure((bench.work / 'done').read_text())
    bench.expect('built conv2d', 'ran conv2d')


def whole(bench):
    bench.bench()
    did = bench.did()
    built = [line for line in did if line.startswith('built')]
    if did[:len(built)] != built:
        raise Failure(f'a program ran before all were built: {did}')
    missing = {re.sub('-l.*', '', name) for name in (line.split()[1] for line in did)} ^ sources(bench)
    missing -= {'transpose', 'coefficients', 'const_access', 'const_literal', 'peers', 'stencil_peers'}
    if missing != {'gpus', 'backend'} or did[-2:] != ['ran peers', 'ran stencil_peers']:
        raise Failure(f'not built, or what nobody named: {missing}; {did[-2:]}')
    bench.table('convolution', 'conv2d', 'conv2d_narrow', 'separable', 'conv3d', 'filter_steps', 'bytes',
                'npp-lnppif-lnppc', 'fft-lcufft', 'a peer')
    bench.table('stencils', 'stencils2d', 'stencils3d', 'reductions', 'until', 'multigrid', 'a peer')
    bench.bench()
    bench.expect()
    bench.bench('--again', 'bytes')
    bench.expect('ran bytes')
    bench.table('stencils', 'stencils2d', 'stencils3d', 'reductions', 'until', 'multigrid', 'a peer')


CASES = {
    'one program, measured once, and again': named, 'several programs, and a table': several,
    'an unknown name': unknown, 'interrupted, it goes on': interrupted,
    'interrupted while it builds, it goes on': interrupted_builds, 'a program that stops': stops,
    'a program that does not compile': broken, 'another card, header or architecture': changed,
    'all of it': whole, 'tables become records': kept_as_records,
}


def check(case, include):
    with folder() as work:
        case(Bench(work, include))


def main():
    options = arguments(__doc__, {'calls'}, 'GROUP')
    report([(f'./cmk bench: {name}', lambda case=case: check(case, options.include)) for name, case in CASES.items()],
           options)


if __name__ == '__main__':
    main()
