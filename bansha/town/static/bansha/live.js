/* The live stream of a game's page: one connection, whose posts other scripts hear as "post" events of window.live. Here it keeps
   the panel and the tabs fresh, and says at once when something waits. Without it a page shows what was true when it was made. */
(() => {
  window.live = new EventTarget();
  const root = document.documentElement;
  let address = document.body.dataset.live, source = null, wait = 0;
  if (!address || !("EventSource" in window)) return;

  const fetched = async () => {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (answer.status >= 500) throw new Error(answer.statusText); // the town is not well: later
    if (!answer.ok || answer.redirected) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };

  // what everybody knows has changed: the panel and the tabs are exchanged, nothing else moves, nothing typed is touched
  const renew = (page) => {
    for (const query of ["[data-phase-bar]", "nav.tabs"]) {
      const now = [...page.querySelectorAll(query)];
      document.querySelectorAll(query).forEach((old, n) => { if (now[n] && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(now[n])); });
    }
    root.dataset.phase = page.documentElement.dataset.phase;
  };
  let due = 0;
  const refresh = (also) => {
    clearTimeout(due);
    due = setTimeout(async () => {
      try { const page = await fetched(); if (page) { renew(page); also?.(); } } catch { /* offline: the next event tries again */ }
    }, 300 + Math.random() * 700);
  };

  const call = () => {
    const letter = document.querySelector("nav.tabs a[href$='/letter/']");
    if (!letter || letter.hasAttribute("aria-current") || document.querySelector(".toast[data-call]")) return;
    const said = document.createElement("div"), link = document.createElement("a");
    said.className = "toast"; said.dataset.call = ""; said.setAttribute("role", "status");
    link.href = letter.href; link.textContent = letter.textContent;
    said.append(document.body.dataset.liveCall, link);
    document.body.append(said);
  };

  // a ticket that no longer holds: the page is asked for a new one; one that gives none has no stream for us
  const again = () => {
    source?.close();
    wait = Math.min(60000, Math.max(2000, wait * 2));
    setTimeout(async () => {
      try {
        const page = await fetched();
        if (!page) return;
        renew(page);
        address = page.body.dataset.live;
        if (address) open();
      } catch { again(); }
    }, wait);
  };

  const open = () => {
    source = new EventSource(address);
    source.addEventListener("open", () => { wait = 0; });
    source.addEventListener("post", (event) => window.live.dispatchEvent(new CustomEvent("post", { detail: JSON.parse(event.data) })));
    source.addEventListener("phase", () => refresh());
    source.addEventListener("prompt", () => refresh(call));
    source.addEventListener("end", again);
    source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) again(); });
  };
  open();
  addEventListener("pagehide", () => source.close());
})();
