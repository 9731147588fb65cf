/* Reading and writing threads. Improves pages that already work: quoting in place, drafts kept while one writes, keys, posts that
   arrive live. Never moves the reader's place. No dependency. */
(() => {
  const thread = document.querySelector(".thread");
  if (!thread) return;
  const form = document.querySelector("form.composer");
  const body = form && form.querySelector("textarea");
  const posts = () => [...thread.querySelectorAll("article.post")];

  // ---------- quoting: the link is real (?quote=12#reply); here the words go into the field in place
  const words = (post) => {
    const chosen = String(getSelection() || "").trim();
    if (chosen && post.contains(getSelection().anchorNode) && post.contains(getSelection().focusNode)) return chosen;
    const copy = post.querySelector(".post-body").cloneNode(true);
    copy.querySelectorAll("blockquote").forEach((quote) => quote.remove());
    copy.querySelectorAll("br").forEach((end) => end.replaceWith("\n"));
    copy.querySelectorAll("p, li, tr, pre, div").forEach((part) => part.append("\n"));
    return copy.textContent.trim();
  };
  thread.addEventListener("click", (event) => {
    const link = event.target.closest("a.quoter");
    if (!link || !body || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const post = link.closest("article.post");
    const who = post.dataset.name + (post.dataset.ref ? `;${post.dataset.ref}` : "");
    const before = body.value.trim() ? body.value.replace(/\n+$/, "") + "\n" : "";
    body.value = `${before}[quote=${who}]${words(post).replaceAll("[/quote", "［/quote")}[/quote]\n`;
    body.focus();
    body.setSelectionRange(body.value.length, body.value.length);
    body.dispatchEvent(new Event("input"));
  });

  // ---------- drafts: kept a moment after the last key; the button keeps them too
  if (form && form.dataset.draft) {
    const said = form.querySelector("[data-saved]");
    let timer = 0, kept = body.value;
    const keep = async () => {
      if (body.value === kept) return;
      const text = body.value, data = new FormData();
      data.set("body", text);
      data.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
      try {
        const answer = await fetch(form.dataset.draft, { method: "POST", body: data, keepalive: true });
        if (!answer.ok) return;
        kept = text;
        const { saved } = await answer.json();
        said.textContent = said.dataset.words.replace("{}", saved);
      } catch { /* offline: the text stands in the field */ }
    };
    body.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(keep, 1500); });
    form.addEventListener("submit", () => clearTimeout(timer));
    addEventListener("pagehide", () => { clearTimeout(timer); });
  }

  // ---------- keys: j k g / r u ?
  const help = document.querySelector("#keys");
  document.querySelectorAll("[data-keys]").forEach((box) => {
    box.hidden = false;
    box.querySelector("button").addEventListener("click", () => help.showModal());
  });
  const move = (by) => {
    const list = posts().filter((post) => !post.hidden);
    const line = 70; // below the bar that sticks
    const tops = list.map((post) => post.getBoundingClientRect().top);
    const here = document.activeElement && document.activeElement.matches("article.post") ? list.indexOf(document.activeElement) : -1;
    let at = here >= 0 ? here + by : by > 0 ? tops.findIndex((top) => top > line + 8) : tops.findLastIndex((top) => top < line - 8);
    if (at < 0 && by > 0) at = list.length - 1;
    const post = list[Math.min(list.length - 1, Math.max(0, at))];
    if (!post) return;
    post.tabIndex = -1;
    post.focus({ preventScroll: true });
    post.scrollIntoView({ block: "start" });
  };
  const acts = {
    j: () => move(1),
    k: () => move(-1),
    g: () => location.assign(thread.dataset.hub),
    "/": () => location.assign(thread.dataset.search),
    r: () => { const end = document.querySelector("#reply"); end.scrollIntoView(); if (body) body.focus(); },
    u: () => { const line = document.querySelector("#unread"); if (line) line.scrollIntoView({ block: "center" }); },
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (help.open && event.key !== "?") return;
    const act = acts[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // ---------- live: new posts stand at the end of the last page; a quiet line says how many, nothing moves
  const address = thread.dataset.stream;
  if (address && "EventSource" in window) {
    const fresh = thread.querySelector("[data-fresh]"), link = fresh.querySelector("a");
    const only = new URLSearchParams(location.search).get("only");
    const last = "last" in thread.dataset;
    let newest = Number(thread.dataset.newest), came = 0, first = "";
    const ride = (seat, floor, href) => {
      const floors = document.querySelector(`[data-ride="${seat}"] .floors`);
      if (floors) {
        const stop = document.createElement("a");
        stop.href = href; stop.className = "new"; stop.textContent = floor;
        floors.insertBefore(stop, floors.querySelector(".few"));
      }
      const count = document.querySelector(`[data-rail="${seat}"] .num`);
      if (count) count.textContent = Number(count.textContent) + 1;
    };
    window.live.addEventListener("post", (event) => {
      const { room, floor, html } = event.detail;
      if (room !== thread.dataset.room || floor <= newest || !html) return;
      newest = floor;
      const made = document.createElement("template");
      made.innerHTML = html;
      const post = made.content.querySelector("article.post");
      const permanent = post.querySelector("a.floor").href;
      ride(post.dataset.seat, floor, last ? `#f${floor}` : permanent);
      if (only !== null && post.dataset.seat !== only && post.dataset.seat !== "0") return;
      came += 1;
      if (last) fresh.before(post);
      if (!first) { first = last ? `#f${floor}` : permanent; link.href = first; }
      link.textContent = fresh.dataset.fresh.replace("{}", came);
      fresh.hidden = false;
    });
    link.addEventListener("click", () => { came = 0; first = ""; fresh.hidden = true; });
  }
})();
