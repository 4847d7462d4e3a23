import os
import pickle


def apart(function, *arguments):
    """What a function gives in a process of its own, which may die. An exception is given as its last line."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what a panic says
        try:
            result = function(*arguments)
        except Exception as exception:
            result = "%s: %s" % (type(exception).__name__, str(exception).strip().split("\n")[-1])
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(result, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        result = pipe.read()
    status = os.waitpid(child, 0)[1]
    return "the process ends by signal %d" % os.WTERMSIG(status) if status else pickle.loads(result)
