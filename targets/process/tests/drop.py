# SPDX-License-Identifier: Apache-2.0
"""A connection that drops: passes bytes between qdiff and a program until, after a random number of them, it ends the program
and itself with status 255, as ssh does. drop.py DEATHS MOST SEED PROGRAM [ARGUMENT…]: each drop adds a byte to the file DEATHS, and
there are at most MOST."""
import os
import random
import subprocess
import sys
import threading

deaths, most, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
before = os.path.getsize(deaths)
# The first start gets through its greeting: a target that never opened is not set up.
left = random.Random(seed * 1000003 + before).randrange(1500 if before == 0 else 1, 4000)
lock = threading.Lock()
program = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def pump(source, sink):
    global left
    while True:
        data = os.read(source, 4096)
        if not data:
            break
        with lock:
            part = data[:left] if before < most else data
            if before < most:
                left -= len(part)
            os.write(sink, part)
            if len(part) < len(data):
                with open(deaths, "ab") as file:
                    file.write(b".")
                program.kill()
                program.wait()
                os._exit(255)
    os.close(sink)


reader = threading.Thread(target=pump, args=(program.stdout.fileno(), 1))
reader.start()
pump(0, program.stdin.fileno())
reader.join()
sys.exit(program.wait())
