"""As much of W3C WebDriver as the browser test needs, over plain HTTP to chromedriver."""
import base64
import json
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


def missing():
    """What is not installed; None when nothing is missing."""
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "chromium is not installed"
    if not shutil.which("chromedriver"):
        return "chromedriver is not installed: it is in the package chromium-driver"
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:
        return "this system knows no localhost, where chromedriver looks for the browser"
    return None


class Browser:
    """A browser with a profile of its own, and everything that it logs."""

    def __init__(self, profile, downloads):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        port = None
        while port is None:  # ends with an error when the driver does
            line = self.driver.stdout.readline()
            if not line:
                raise RuntimeError("chromedriver did not start")
            port = re.search(r"started successfully on port (\d+)", line)
        self.base = f"http://127.0.0.1:{port[1]}/session"
        self.session = None
        self.session = self.call("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "unhandledPromptBehavior": "ignore",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {
                "binary": shutil.which("chromium") or shutil.which("chromium-browser"),
                "args": [*ARGUMENTS, f"--user-data-dir={profile}"],
                "prefs": {"download.default_directory": downloads,
                          "download.prompt_for_download": False},
            },
        }}})["sessionId"]
        self.open("about:blank")
        self.requests()  # those of the page that a browser begins with

    def call(self, method, path, body=None):
        url = self.base + (f"/{self.session}" if self.session else "") + path
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def click(self, selector):
        """As a user does: browsers take less from a script."""
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{next(iter(found.values()))}/click", {})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def requests(self):
        """The addresses that were asked for since the last call."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def look(self, width, scheme):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=1000,
                      deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": scheme}])

    def pdf(self):
        return base64.b64decode(self.call("POST", "/print", {}))

    def close(self):
        if self.session:
            self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
