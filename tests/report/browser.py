# A headless Chromium, driven by the DevTools protocol.
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

import websocket


class Browser:
    """One page of a Chromium that cannot reach any network; what goes wrong in it is kept."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="gradsim_browser_")
        options = ["--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + self.folder,
                   "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        self.problems = []
        self.loaded = []
        self.sent = 0
        self.loads = 0
        self.process = self.socket = None
        try:
            self.process = subprocess.Popen([program, *options, "about:blank"], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self):
        self.socket = websocket.create_connection(self._address(), suppress_origin=True, timeout=60)
        target = self._call("Target.getTargets")["targetInfos"]
        page = next(info["targetId"] for info in target if info["type"] == "page")
        self.session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def _address(self):
        port_file = os.path.join(self.folder, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(port_file):
                lines = open(port_file).read().split("\n")
                if len(lines) == 2:
                    return "ws://127.0.0.1:{}{}".format(*lines)
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("the browser did not start")

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + str([a.get("value") for a in params["args"]]))
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append("log: " + params["entry"]["text"])
        if method == "Page.loadEventFired":
            self.loads += 1
        if method == "Network.requestWillBeSent":
            self.loaded.append(params["request"]["url"])

    def _receive(self):
        message = json.loads(self.socket.recv())
        self._note(message)
        return message

    def _call(self, method, session=None, **params):
        self.sent += 1
        number = self.sent
        request = {"id": number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        self.socket.send(json.dumps(request))
        while True:
            answer = self._receive()
            if answer.get("id") != number:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def call(self, method, **params):
        return self._call(method, self.session, **params)

    def open(self, path):
        self.problems.clear()
        self.loaded.clear()
        before = self.loads
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.loads == before:
            self._receive()

    def evaluate(self, script):
        """The value of a script; of a promise, once it is there."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def look(self, width, height, scheme, mobile=False):
        """A window of this size, for a reader who prefers this scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if mobile else 1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 150)))")

    def screenshot(self, path):
        whole = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(whole["data"]))

    def print(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        try:
            if self.socket:
                self.socket.close()
        finally:
            self._end()

    def _end(self):
        """No process and no folder is left, whatever went wrong before."""
        try:
            if self.process:
                self.process.terminate()
                self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
