"""``poprun``: starts the instances of a program by ``mpirun``.

``python3 -m popdist.poprun --num-instances 2 --num-replicas 8 python3 train.py`` (``poprun`` where the Debian package is
installed) starts two instances with four replicas each. Options that choose machines of a data centre are accepted,
with a message that they have no effect; options that the original does not have are refused (exit status 2).
"""
from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from typing import Dict, List, NoReturn, Optional, Sequence

#: The original's options with and without a value that have no meaning without its machines.
_IGNORED_WITH_VALUE = ("--vipu-partition", "--vipu-server-host", "--vipu-server-port", "--vipu-server-timeout",
                       "--vipu-cluster", "--host", "--host-subnet", "--num-ilds", "--executable-cache-path",
                       "--update-partition", "--remove-partition", "--reset-partition", "--numa-aware", "--topology",
                       "--sync-type", "--synchronous-execution", "--auto-reduce-num-instances", "--process-placement")
_IGNORED = ("--print-topology", "--interactive", "--offline-mode", "--tag-output")


def _fail(text: str) -> NoReturn:
    sys.stderr.write(f"poprun: error: {text}\n")
    sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="poprun", allow_abbrev=False, description="Starts the instances of a program.")
    parser.add_argument("-n", "--num-instances", type=int, default=1, help="processes")
    parser.add_argument("-r", "--num-replicas", type=int, help="of all instances; one each if not given")
    parser.add_argument("--ipus-per-replica", type=int, default=1, help="IPUs of each replica")
    parser.add_argument("--only-output-from-instance", type=int, metavar="N",
                        help="print the output of this instance, and only errors of the others")
    parser.add_argument("--mpi-global-args", default="", help="arguments of mpirun, as one string")
    parser.add_argument("--mpi-local-args", default="", help="likewise")
    parser.add_argument("-v", "--verbose", "-vv", "-vvv", action="store_true", help="print the mpirun command")
    for name in _IGNORED_WITH_VALUE:
        parser.add_argument(name, metavar="VALUE", help=argparse.SUPPRESS)
    for name in _IGNORED:
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM ARGUMENTS", help="the program to start")
    return parser


def _variables(options: argparse.Namespace) -> Dict[str, str]:
    """The variables that popdist reads, except the number of the instance, which mpirun sets."""
    instances = options.num_instances
    replicas = instances if options.num_replicas is None else options.num_replicas
    if min(instances, replicas, options.ipus_per_replica) < 1:
        _fail("numbers of instances, replicas and IPUs must be at least 1")
    if replicas % instances:
        _fail(f"{instances} instances cannot share {replicas} replicas evenly; choose a multiple of {instances}")
    return {
        "POPDIST_NUM_TOTAL_REPLICAS": str(replicas),
        "POPDIST_NUM_LOCAL_REPLICAS": str(replicas // instances),
        "POPDIST_NUM_IPUS_PER_REPLICA": str(options.ipus_per_replica),
    }


def command(options: argparse.Namespace) -> List[str]:
    """The mpirun command.

    Exits with status 2 if it cannot be built.
    """
    if not options.program:
        _fail("there is no program to start; give one after the options")
    if options.program[0].startswith("-"):
        _fail(f"unknown option '{options.program[0]}'; 'poprun --help' lists all options")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        _fail("mpirun is not installed: install openmpi-bin and python3-mpi4py")
    call = [mpirun, "--oversubscribe", "-n", str(options.num_instances)]
    if os.geteuid() == 0:
        call.append("--allow-run-as-root")
    for name in _variables(options):
        call += ["-x", name]
    call += shlex.split(options.mpi_global_args) + shlex.split(options.mpi_local_args)
    program = list(options.program)
    chosen = options.only_output_from_instance
    if chosen is not None:
        if not 0 <= chosen < options.num_instances:
            _fail(f"there is no instance {chosen}: instances are 0 to {options.num_instances - 1}")
        program = ["sh", "-c", f'[ "$OMPI_COMM_WORLD_RANK" = {chosen} ] || exec >/dev/null; exec "$@"', "sh", *program]
    return call + program


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs ``poprun`` with these arguments, by default those of the command line, and returns its exit status, that of the program."""
    options = _parser().parse_args(arguments)
    call = command(options)
    for name in (*_IGNORED_WITH_VALUE, *_IGNORED):
        if getattr(options, name[2:].replace("-", "_")):
            sys.stderr.write(f"poprun: {name} has no effect: there are no machines to choose\n")
    if options.verbose:
        sys.stderr.write(shlex.join(call) + "\n")
    return subprocess.run(call, env={**os.environ, **_variables(options)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
