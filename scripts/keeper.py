# SPDX-License-Identifier: Apache-2.0
"""Runs something in a process of its own and sees to it that nothing of it is left, however either of the two ends: no process,
also none that called setsid(), and no System V segment. Linux only."""

import ctypes
import os
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, IPC_RMID = 1, 36, 0
LIBC = ctypes.CDLL(None, use_errno=True)


def adopt():
    """What children of this process leave becomes a child of this process."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(number=signal.SIGKILL):
    """For preexec_fn, too: it stays so when the process becomes another program."""
    LIBC.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def children():
    """Of this process, zombies included."""
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    if int(file.read().rpartition(")")[2].split()[1]) == os.getpid():
                        found.add(int(name))
            except OSError:
                pass  # it has ended
    return found


def remove_segments(maker):
    """The System V segments of a process that has ended: an engine that is killed cannot remove its own."""
    try:
        with open("/proc/sysvipc/shm", encoding="ascii") as file:
            rows = [line.split() for line in file][1:]
    except OSError:
        return
    for row in rows:
        if int(row[4]) == maker:
            LIBC.shmctl(int(row[1]), IPC_RMID, None)


def end(pids):
    """Kills these children and reaps them. What they leave become children, so call this until there are none."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            remove_segments(pid)
            os.waitpid(pid, 0)
        except OSError:
            pass


def end_strangers(known):
    """Ends each child that is not one of these, and what that leaves."""
    for _ in range(1000):
        strangers = children() - known
        if not strangers:
            return
        end(strangers)


def keep(work, clean):
    """Does `work` in a child and then `clean` here, when nothing is left that could disturb; the exit code. SIGINT, SIGTERM and
    SIGHUP go to the child as SIGTERM, and so does the death of this process."""
    adopt()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        die_with_parent(signal.SIGTERM)
        adopt()
        code = 70
        try:
            code = work()
        finally:
            end_strangers(set())
            clean(os.getpid())
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def pass_on(*_):
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, pass_on)
    status = os.waitpid(pid, 0)[1]
    end_strangers(set())
    clean(pid)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def wait(popen, seconds, stopped=lambda: False):
    """Waits for a subprocess, until it ends, the time is over or `stopped`; whether it has ended. Its segments are removed."""
    deadline = time.monotonic() + seconds
    while not has_ended(popen):
        if stopped() or time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def has_ended(popen):
    if popen.returncode is not None:
        return True
    try:
        if os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return False
        remove_segments(popen.pid)  # while its number is taken
    except ChildProcessError:
        pass
    return popen.poll() is not None
