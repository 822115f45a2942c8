//! Drives a headless Chromium by the DevTools protocol over pipes: <https://chromedevtools.github.io/devtools-protocol/>.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Names of the program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A browser with one page.
pub struct Chromium {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    count: u64,
    _folder: tempfile::TempDir,
}

fn program() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut paths = std::env::split_paths(&folders).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    paths.find(|path| path.is_file())
}

impl Chromium {
    /// Starts one; none where there is none, which a printed line says.
    pub fn start() -> Option<Self> {
        let Some(program) = program() else {
            println!("skipped, for there is no Chromium here (Debian: chromium)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        // It reads orders at 3 and answers at 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", "sh"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut chromium = Self { child, to, from, session: None, count: 0, _folder: folder };
        let target = chromium.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let session = chromium.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        chromium.session = session["sessionId"].as_str().map(str::to_owned);
        chromium.call("Page.enable", json!({}));
        // What the policy refused is counted, for nothing may even try.
        let source = "window.refused = []; document.addEventListener('securitypolicyviolation', e => refused.push(e.violatedDirective + ' ' + e.blockedURI));\
            window.failed = []; addEventListener('error', e => failed.push(String(e.message))); addEventListener('unhandledrejection', e => failed.push(String(e.reason)));";
        chromium.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": source}));
        chromium.size(1400, 900);
        Some(chromium)
    }

    /// Gives an order and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, &parameters).unwrap_or_else(|error| panic!("{method} {parameters}: {error}"))
    }

    fn try_call(&mut self, method: &str, parameters: &Value) -> Result<Value, String> {
        self.count += 1;
        let mut order = json!({"id": self.count, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        self.to.write_all(order.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let mut message = Vec::new();
            assert!(self.from.read_until(0, &mut message).unwrap() > 0, "the browser ended");
            message.pop();
            let message: Value = serde_json::from_slice(&message).unwrap();
            if message["id"] == self.count {
                return if message["error"].is_null() {
                    Ok(message["result"].clone())
                } else {
                    Err(message["error"].to_string())
                };
            }
        }
    }

    /// Sets the size of the page.
    pub fn size(&mut self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
    }

    /// Opens an address.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
    }

    /// Returns the value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        self.try_value(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_value(&mut self, expression: &str) -> Result<Value, String> {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true});
        let answer = self.try_call("Runtime.evaluate", &parameters)?;
        if answer["exceptionDetails"].is_null() {
            Ok(answer["result"]["value"].clone())
        } else {
            Err(answer["exceptionDetails"].to_string())
        }
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let looking = format!(
            "new Promise(resolve => {{ let left = 3000; const look = () => {{ let is = false; try {{ is = {expression}; }} catch {{}} \
             if (is || --left < 0) resolve(Boolean(is)); else setTimeout(look, 10); }}; look(); }})"
        );
        // A page that is left while it is looked at gives an error: the next one is looked at.
        let seen = (0..5).find_map(|_| self.try_value(&looking).ok());
        if seen != Some(Value::Bool(true)) {
            let page = self.try_value("location.href + '\\n' + document.body.innerText.slice(0, 3000) + '\\n' + JSON.stringify([window.refused, window.failed])");
            panic!("{expression} did not become true: {page:?}");
        }
    }

    /// Goes to a page of the program, and waits until all of it is there.
    pub fn page(&mut self, hash: &str) {
        let name = hash.trim_start_matches("#/").split('?').next().unwrap();
        self.value(&format!("delete document.documentElement.dataset.ready; location.hash === {0} ? dispatchEvent(new HashChangeEvent('hashchange')) : location.hash = {0}", json!(hash)));
        self.ready(name);
    }

    /// Waits until a page is there.
    pub fn ready(&mut self, name: &str) {
        self.wait(&format!(
            "document.documentElement.dataset.ready === {} && document.documentElement.dataset.busy === '0'",
            json!(name)
        ));
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let text = if key.chars().count() == 1 {
            key
        } else if key == "Enter" {
            "\r"
        } else {
            ""
        };
        let code = if key == "Enter" { 13 } else { 0 };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Writes a text where the cursor is.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Takes a picture, as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        use base64::Engine;
        let answer = self.call("Page.captureScreenshot", json!({"format": "png"}));
        base64::engine::general_purpose::STANDARD.decode(answer["data"].as_str().unwrap()).unwrap()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
