"""Traces of calls: an example whose loop ends on the device never waits for it between its first step and its last.

usage: waits.py PROGRAM...     programs that trace.cu is linked into

Between the first launch and the last one a program may only call what cannot wait for the device: a call that is not
known to be such fails. What it does before, such as its copies to the device, and behind, where it reads its results,
may wait. The number of launches must not follow from that of the steps: it stays below MOST.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import Failure, Skip, folder, report, run  # noqa: E402

LAUNCH = r'cudaLaunchKernel\w*|cudaGraphLaunch'
NO_WAIT = [  # they return at once, whatever the device does
    LAUNCH, r'cudaM(emcpy|emset)Async', r'cudaGetLastError', r'cudaPeekAtLastError', r'cudaGetDevice',
    r'cudaDeviceGetAttribute', r'cudaFuncSetAttribute', r'cudaFuncGetAttributes', r'cudaGetKernel', r'cudaOccupancy\w+',
    r'cudaStream(IsCapturing|BeginCapture\w*|EndCapture|GetCaptureInfo|UpdateCaptureDependencies|WaitEvent)',
    r'cudaStream(CreateWithFlags|Destroy)', r'cudaThreadExchangeStreamCaptureMode',
    r'cudaEvent(CreateWithFlags|Record)', r'cudaGraph(AddNode|ConditionalHandleCreate|Instantiate|Destroy)',
    r'__cuda(Push|Pop)CallConfiguration',
]
MOST = 400  # launches: those of a turn, or of 8, and of what stands around the loop
ARGUMENTS = {'jacobi': [], 'conjugate_gradients': ['512'], 'shallow_water': ['512'], 'multigrid': ['128']}


def calls_of(program):
    """the calls of the runtime by this program, without their versions"""
    example = program.name.split('-')[1]
    with folder() as work:
        trace = Path(work) / 'trace'
        status, output = run([program, *ARGUMENTS[example]], CMK_TRACE=str(trace))
        if 'error while loading shared libraries: libcupti' in output:
            raise Skip('no libcupti where the loader looks for it')
        if status != 0:
            raise Failure(f'{example}: exit status {status}\n{output}')
        return [re.sub(r'(_ptsz)?_v\d+$', '', line) for line in trace.read_text().splitlines()]


def never_waits(program):
    calls = calls_of(program)
    launches = [i for i, call in enumerate(calls) if re.fullmatch(LAUNCH, call)]
    if 'cudaGraphLaunch' not in calls:
        raise Failure('there is no graph, so no loop on the device')
    between = calls[launches[0]:launches[-1] + 1]
    other = [call for call in between if not any(re.fullmatch(known, call) for known in NO_WAIT)]
    if other:
        raise Failure('may wait between the first launch and the last: ' + ', '.join(sorted(set(other))))
    if len(launches) > MOST:
        raise Failure(f'{len(launches)} launches')
    print(f'# {program.name}: {len(launches)} launches, and {len(between) - len(launches)} other calls between them')


if len(sys.argv) == 1:
    print('1..0 # SKIP no CUPTI beside nvcc')
else:
    report([(f'{Path(name).name}: no call waits between the first launch and the last',
             lambda path=Path(name).resolve(): never_waits(path)) for name in sys.argv[1:]])
