"""A bot that attacks in its first decision, as its arguments say, and exits with 7 if that worked.

Only the standard library, and started with `python -I -S`, so that it starts fast.
"""

import ctypes
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import time


def sees_other_processes():
    """Whether there are processes that it has not started."""
    mine = {1, os.getpid(), os.getppid()}
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid not in mine]


def reads(path):
    with open(path, "rb") as file:
        return file.read(1)


def lists(path):
    return os.listdir(path)


def writes(path):
    with open(path, "ab") as file:
        file.write(b"forged\n")
    return True


def removes(path):
    os.rename(path, path + ".gone")
    return True


def unhides(path):
    """Lift what hides a folder, as a superuser may, and list it."""
    ctypes.CDLL(None).umount2(path.encode(), 2)
    return os.listdir(path)


def sets_the_kernel():
    """Write a setting of the whole machine: the value that it has."""
    with open("/proc/sys/kernel/core_pattern") as file:
        value = file.read()
    with open("/proc/sys/kernel/core_pattern", "w") as file:
        file.write(value)
    return True


def connects(port):
    socket.create_connection(("127.0.0.1", int(port)), 1.0).close()
    return True


def signals(name):
    """Signal the process that started it: nothing else need be done."""
    os.kill(os.getppid(), getattr(signal, name))


def signals_siblings(name):
    """Signal the processes of its opponents: Python agents that its own parent has started."""
    for pid in set(filter(str.isdigit, os.listdir("/proc"))) - {str(os.getpid())}:
        try:
            with open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/cmdline") as command:
                parent = int(stat.read().rpartition(")")[2].split()[1])
                if parent == os.getppid() and "arena.process" in command.read():
                    os.kill(int(pid), getattr(signal, name))
        except OSError:
            continue


def ends_with(code):
    os._exit(int(code))


def stops_itself():
    os.kill(os.getpid(), signal.SIGSTOP)


def leaves_a_daemon(mark):
    """One that has left the session and has nothing in its environment."""
    daemon = f"exec -a {mark} sleep 1000 &"
    subprocess.run(["env", "-i", "setsid", "bash", "-c", daemon], stdout=2, check=True)


def hoards(megabytes):
    """Memory that is shared with a helper in another session, which has touched it."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            shared = mmap.mmap(-1, int(megabytes) << 20)
            for place in range(0, int(megabytes) << 20, 4096):
                shared[place] = 1
            time.sleep(1000)
        os._exit(0)
    os.wait()
    time.sleep(2.0)


def main(attack="", *words):
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            if attack == "silent":
                time.sleep(1000)
            print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
        elif message["type"] == "act":
            if message["decision"] == 0 and attack:
                try:
                    worked = globals()[attack](*words)
                except OSError:
                    worked = False
                if worked:
                    sys.exit(7)
            answer = {key: message[key] for key in ("deal", "decision")}
            answer["action"] = message["view"]["legal"][0]
            print(json.dumps({"type": "action", **answer}), flush=True)
        elif message["type"] == "quit":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
