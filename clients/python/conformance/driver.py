"""Does what the conformance suite says, one line of JSON at a time (clients/README.md). Ends with its connection."""

import json
import os
import socket
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from games_lrs import Launch, LrsError, connect  # noqa: E402

wire = socket.create_connection(("127.0.0.1", int(os.environ["DRIVER_PORT"])))
writing = threading.Lock()


def tell(line):
    with writing:
        wire.sendall(json.dumps(line).encode() + b"\n")


def failed(status, message, statement=None):
    tell({"event": "error", "status": status, "message": message, "id": statement and statement.get("id")})


threading.excepthook = lambda args: failed(0, str(args.exc_value))


class Driver:
    def connect(self, launch=None, throws=None, debug=False, **options):
        def on_error(error):
            failed(error.status, error.message, error.statement)
            if throws:
                raise RuntimeError(throws)

        given = launch and Launch(activity_id=launch.pop("activityId", ""), **launch)
        folder = os.environ["DRIVER_FOLDER"]
        self.lrs = connect(given, on_error=on_error, folder=folder, debug=debug, **options)
        return {"launched": self.lrs.launched}

    def say(self, verb, activity=None, result=None):
        return getattr(self.lrs, verb)(activity, result)

    def send(self, statement):
        return self.lrs.send(statement)

    def many(self, count, **of):
        return [self.lrs.progressed(f"event/{n}") for n in range(of["from"], of["from"] + count)]

    def flush(self):
        self.lrs.flush(60)
        return True

    pause = flush

    def pending(self):
        return self.lrs.pending()

    def consent(self, granted):
        self.lrs.set_consent(granted)
        return True

    def get(self, of, id):
        document = self._documents(of).get(id)
        return document and document._asdict()

    def put(self, of, id, value, **etag):
        return self._documents(of).put(id, value, **etag)

    def merge(self, of, id, value):
        return self._documents(of).merge(id, value) or True

    def remove(self, of, id):
        return self._documents(of).remove(id) or True

    def list(self, of):
        return self._documents(of).list()

    def quit(self):
        return True

    def _documents(self, of):
        names = {"state": "state", "activityProfile": "activity_profile", "agentProfile": "agent_profile"}
        return getattr(self.lrs, names[of])()


driver = Driver()
for line in wire.makefile():
    command = json.loads(line)
    n, name = command.pop("n"), command.pop("do")
    try:
        tell({"n": n, "ok": getattr(driver, name)(**command)})
    except LrsError as error:
        tell({"n": n, "error": {"status": error.status, "message": error.message}})
    if name == "quit":
        sys.exit()  # what waits is sent by the end of the process
os._exit(1)
