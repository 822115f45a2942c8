// The whole state of a page is behind the # of its address, so that links hold it.

export function state() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { page: path || "overview", words: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function joined(words) {
  const known = Object.entries(words).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return new URLSearchParams(known).toString();
}

export function link(page, words = {}) {
  const query = joined(words);
  return `#/${page}${query ? "?" + query : ""}`;
}

export const address = (path, words = {}) => `/api/${path}?${joined(words)}`;

export function go(page, words) {
  location.hash = link(page, words);
}

let asked = new AbortController();

/// Ends what the page before this one still asked for.
export function leave() {
  asked.abort();
  asked = new AbortController();
}

let busy = 0;

function tell(change) {
  busy = Math.max(0, busy + change);
  const status = document.getElementById("status");
  status.classList.toggle("busy", busy > 0);
  status.textContent = busy > 0 ? "Loading" : "";
  document.documentElement.dataset.busy = String(busy);
}

/// Asks the server; what is wrong is an error with its sentence.
export async function get(path, words) {
  tell(1);
  try {
    const response = await fetch(address(path, words), { signal: asked.signal, credentials: "same-origin" });
    const type = response.headers.get("content-type") ?? "";
    if (!type.includes("json")) throw new Error((await response.text()).slice(0, 500) || `Status ${response.status}`);
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error ?? `Status ${response.status}`);
    return answer;
  } catch (error) {
    if (error instanceof TypeError) throw new Error("The program that showed these pages does not answer any more.");
    throw error;
  } finally {
    tell(-1);
  }
}

/// A value as a search writes it.
export const quoted = value => `"${String(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/// A search with one more condition.
export function also(search, condition) {
  const before = (search ?? "").trim();
  if (!before) return condition;
  return / or /i.test(before) ? `(${before}) and ${condition}` : `${before} and ${condition}`;
}
