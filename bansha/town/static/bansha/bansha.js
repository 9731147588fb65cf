/* Improves pages that already work: sky switch without a reload, ticking clocks, 只看TA, ballot preview, persona windows. No dependency. */
(() => {
  const root = document.documentElement;
  const set = (v) => {
    if (v === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", v);
    document.querySelectorAll(".sky button").forEach((b) => b.setAttribute("aria-pressed", String(b.value === v)));
  };
  document.querySelectorAll(".sky form").forEach((f) => f.addEventListener("submit", (e) => {
    const v = e.submitter?.value || "auto", data = new FormData(f, e.submitter);
    e.preventDefault();
    set(v); f.closest("details").open = false;
    fetch(f.action, { method: "POST", body: data, redirect: "manual" });
  }));

  // <time class="clock" datetime="2026-11-23T13:00:00+00:00">: the moment it ends, or data-left="8074": seconds left when the page was
  // made. Announced by the server's text, not by the tick. (the live panel brings new ones)
  const began = new WeakMap();
  const two = (n) => String(n).padStart(2, "0");
  const tick = () => document.querySelectorAll(".clock[datetime], .clock[data-left]").forEach((c) => {
    if (!began.has(c)) began.set(c, Date.now());
    const from = began.get(c), ends = c.dataset.left ? from + 1000 * Number(c.dataset.left) : Date.parse(c.dateTime);
    const s = Math.max(0, Math.floor((ends - Date.now()) / 1000));
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    c.textContent = h ? `${h}:${two(m)}:${two(s % 60)}` : `${two(m)}:${two(s % 60)}`;
    c.classList.toggle("soon", s < 1800);
  });
  tick();
  setInterval(tick, 1000);

  // 只看TA: the links are real (?only=7); here they filter in place.
  const only = new URLSearchParams(location.search).get("only");
  if (only) {
    document.querySelectorAll(".post[data-seat]").forEach((p) => { p.hidden = p.dataset.seat !== only && p.dataset.seat !== "0"; });
    document.querySelectorAll("[data-only]").forEach((e) => { e.hidden = false; });
    document.querySelectorAll("[data-all]").forEach((e) => { e.hidden = true; });
  }

  // ballot: the preview follows the form.
  const form = document.querySelector("[data-ballot]");
  if (form) {
    const show = () => {
      const d = new FormData(form);
      document.querySelector("[data-t]").textContent = d.get("target") || "";
      document.querySelector("[data-r]").textContent = d.get("reason") || "";
    };
    form.addEventListener("input", show);
  }

  // opening a game: the window follows the name (FNV-1a, as on the server, which decides).
  const masks = [...document.querySelectorAll("[data-mask]")];
  if (masks.length) {
    const fnv = (s) => new TextEncoder().encode(s).reduce((h, b) => Math.imul(h ^ b, 0x01000193) >>> 0, 0x811c9dc5);
    const draw = () => {
      const tones = new Set(), seen = new Set();
      masks.forEach((li) => {
        const name = li.querySelector("input").value.trim(), win = li.querySelector(".win"), bad = !name || name === "弃权" || seen.has(name);
        const h = fnv(name); let tone = h % 12;
        seen.add(name);
        if (!bad) { while (tones.size < 12 && tones.has(tone)) tone = (tone + 5) % 12; tones.add(tone); }
        win.className = bad ? "win out" : `win tone-${tone}`;
        win.innerHTML = bad ? "<b></b>" : `<svg><use href="#lat-${(h >>> 9) % 8}"/></svg><b></b>`;
        win.querySelector("b").textContent = [...name][0] || "";
      });
    };
    masks[0].parentElement.addEventListener("input", draw);
  }
})();
