/* The replay. The page works without: every link and the form lead to a moment the server draws. Here the slider moves in place,
   by data that comes once: `lines` (what stands at a place of the page, and since which moment) and `parts` (what is one piece for
   a day or a night). A moment is painted in the next frame, whatever came in between; nothing is made anew that can be kept. */
(() => {
  const FEW = 5;
  const form = document.querySelector("form[data-replay]");
  if (!form) return;
  const slider = form.querySelector("[type=range]"), select = form.querySelector("select");
  const as = form.dataset.as ? `&as=${form.dataset.as}` : "";
  const spots = [...document.querySelectorAll("[data-part]")];
  const days = [...document.querySelectorAll(".moments a")];
  const here = document.querySelector("[data-here]"), span = document.querySelector("[data-span]");
  const names = document.querySelectorAll("[data-now]"), times = document.querySelectorAll("[data-when]");
  const steps = spots.find((spot) => spot.dataset.part === "steps"), ways = form.querySelectorAll("[data-by]");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let data = null, at = Number(form.dataset.at), wanted = at, today = days.findIndex((link) => link.hasAttribute("aria-current"));
  let frame = 0, late = false, kept = 0, playing = 0;

  // ---------- what stands where
  const last = (list, t) => { // the place of the last one not after t
    let low = 0, high = list.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (list[middle] <= t) low = middle; else high = middle - 1; }
    return low;
  };
  const put = {
    text: (node, value) => { node.textContent = value; },
    html: (node, value) => { node.innerHTML = value; },
    class: (node, value) => { node.setAttribute("class", value); },
    label: (node, value) => { node.setAttribute("aria-label", value); },
  };
  const bind = (root) => [...root.querySelectorAll("[data-k]")].map((node) => (
    { node, name: node.dataset.k, set: put[node.dataset.as || "text"], shown: undefined }
  ));
  const fixed = bind(document).filter((one) => !one.node.closest("[data-part]"));
  const show = (bound, t) => bound.forEach((one) => {
    const line = data.lines[one.name], value = line.values[last(line.since, t)];
    if (value !== one.shown) { one.shown = value; one.set(one.node, value); }
  });

  // ---------- pieces: made once, when first needed, then only exchanged
  const piece = (kind, number) => {
    const found = data.parts[kind][number];
    if (!found.root) {
      const made = document.createElement("template");
      made.innerHTML = found[1];
      found.root = document.createElement("div");
      found.root.append(made.content);
      found.bound = bind(found.root);
      found.steps = [...found.root.querySelectorAll("li[data-t]")];
      found.filled = 0;
      found.notes = [...found.root.querySelectorAll("[data-since]")];
      found.box = found.root.querySelector("[data-written]");
    }
    return found;
  };
  const ahead = (left) => { // in idle moments, before they are asked for
    const idle = window.requestIdleCallback || ((make) => setTimeout(make, 50));
    if (left.length) idle(() => { piece(...left.shift()); ahead(left); });
  };
  const needed = (spot, t) => {
    const firsts = data.firsts[spot.dataset.part];
    return firsts.length && firsts[0] <= t ? piece(spot.dataset.part, last(firsts, t)) : null;
  };
  const settle = (part, t) => {
    if (!part) return;
    show(part.bound, t);
    part.steps.forEach((step) => {
      const since = Number(step.dataset.t), state = since < t ? "done" : since === t ? "here" : "yet";
      if (step.className !== state) step.className = state;
    });
    let any = false;
    part.notes.forEach((note) => { note.hidden = Number(note.dataset.since) > t; any ||= !note.hidden; });
    if (part.box) part.box.hidden = !any;
  };
  const fill = (part, from) => { // a long list a few at a time
    if (!part || !part.steps.length) return;
    const list = part.root.querySelector(".steps"), few = part.steps.slice(from, from + FEW);
    if (from) list.append(...few); else list.replaceChildren(...few);
    part.filled = from + few.length;
  };
  const now = (t) => {
    const step = needed(steps, t).steps.find((one) => Number(one.dataset.t) === t);
    if (step) { here.replaceChildren(...step.lastElementChild.cloneNode(true).childNodes); return; }
    const none = document.createElement("p");
    none.className = "note"; none.textContent = here.dataset.none;
    here.replaceChildren(none);
  };

  // ---------- one moment: what is small in the next frame; where a day or night begins, its pieces in frames of their own
  const paint = () => {
    frame = 0;
    if (wanted !== at) step(at = wanted);
    else if (late) { late = false; show(fixed, at); }
    else {
      const spot = spots.find((one) => one.stands !== needed(one, at));
      if (spot) {
        spot.stands = needed(spot, at);
        settle(spot.stands, at);
        fill(spot.stands, 0);
        spot.replaceChildren(...(spot.stands ? [spot.stands.root] : []));
      } else fill(steps.stands, steps.stands.filled);
    }
    if (late || spots.some((one) => one.stands !== needed(one, at)) || steps.stands.filled < steps.stands.steps.length) frame = requestAnimationFrame(paint);
    else form.dataset.shown = at;
  };
  const step = (t) => {
    const [n, name, when] = data.marks[t];
    slider.value = t;
    slider.setAttribute("aria-valuetext", `${name}，${when}`);
    names.forEach((node) => { node.textContent = name; });
    times.forEach((node) => { node.textContent = when; });
    const day = last(data.spans, t);
    if (day !== today) {
      if (days[today]) days[today].removeAttribute("aria-current");
      days[today = day].setAttribute("aria-current", "true");
      span.textContent = days[day].title;
      late = true; // many seats change at once
    }
    if (!late) show(fixed, t);
    spots.forEach((spot) => { if (spot.stands === needed(spot, t)) settle(spot.stands, t); });
    now(t);
    ways.forEach((link) => {
      link.href = `?t=${data.marks[Math.min(data.marks.length - 1, Math.max(0, t + Number(link.dataset.by)))][0]}${as}`;
    });
    clearTimeout(kept); // the address follows when the hand rests
    kept = setTimeout(() => history.replaceState(null, "", `?t=${n}${as}`), 250);
  };
  const go = (t) => {
    if (!data) return false;
    wanted = Math.min(data.marks.length - 1, Math.max(0, t));
    if (!frame) frame = requestAnimationFrame(paint);
    return true;
  };

  // ---------- by itself, for who has not asked for less motion
  const player = form.querySelector("[data-play]");
  const words = player.textContent;
  const stop = () => { clearInterval(playing); playing = 0; player.textContent = words; };
  const play = () => {
    if (playing || still.matches || !data) { stop(); return; }
    player.textContent = player.dataset.stop;
    playing = setInterval(() => { if (wanted + 1 < data.marks.length) go(wanted + 1); else stop(); }, 1200);
  };
  player.addEventListener("click", play);
  const offer = () => { player.hidden = still.matches; if (still.matches) stop(); };
  still.addEventListener("change", offer);

  // ---------- keys: arrows, Home and End are the slider's own
  const page = (by) => { const day = last(data.spans, wanted) + by; go(data.spans[Math.min(data.spans.length - 1, Math.max(0, day))]); };
  const event = (by) => {
    const number = by > 0 ? data.steps.findIndex((t) => t > wanted) : data.steps.findLastIndex((t) => t < wanted);
    if (number >= 0) go(data.steps[number]);
  };
  const help = document.querySelector("#keys");
  document.querySelectorAll("[data-keys]").forEach((box) => {
    box.hidden = false;
    box.querySelector("button").addEventListener("click", () => help.showModal());
  });
  const acts = {
    j: () => event(1), k: () => event(-1), p: play, g: () => location.assign(document.querySelector(".where").href),
    ArrowLeft: () => go(wanted - 1), ArrowRight: () => go(wanted + 1), PageUp: () => page(-1), PageDown: () => page(1),
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  addEventListener("keydown", (press) => {
    if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing || !data) return;
    if (help.open && press.key !== "?") return;
    const on = press.target === slider, paging = press.key.startsWith("Page"), arrow = press.key.startsWith("Arrow");
    if (!on && (press.target.closest("input, textarea, select") || paging)) return;
    if (on && arrow) return;
    const act = acts[press.key];
    if (act) { press.preventDefault(); act(); }
  });

  // ---------- the data: then the slider counts moments instead of entries
  const start = (found) => {
    const lines = {};
    Object.entries(found.lines).forEach(([name, line]) => {
      lines[name] = { since: line.filter((_, place) => !(place & 1)), values: line.filter((_, place) => place & 1) };
    });
    const firsts = {};
    Object.entries(found.parts).forEach(([kind, parts]) => { firsts[kind] = parts.map((part) => part[0]); });
    data = { ...found, lines, firsts };
    fixed.forEach((one) => { const line = lines[one.name]; one.shown = line.values[last(line.since, at)]; }); // as the server drew it
    slider.removeAttribute("name");
    slider.min = 0; slider.max = data.marks.length - 1; slider.step = 1; slider.value = at;
    form.dataset.ready = "";
    offer();
    ahead(Object.entries(data.parts).flatMap(([kind, parts]) => parts.map((_, number) => [kind, number])));
  };
  slider.addEventListener("input", () => { if (go(Number(slider.value))) stop(); });
  slider.addEventListener("change", () => { if (!data) form.requestSubmit(); });
  select.addEventListener("change", () => {
    const n = data ? data.marks[wanted][0] : slider.value;
    location.assign(`?t=${n}${select.value ? `&as=${select.value}` : ""}`);
  });
  document.addEventListener("click", (click) => {
    const link = click.target.closest("a[href^='?t=']");
    if (!link || !data || click.ctrlKey || click.metaKey || click.shiftKey) return;
    const n = Number(new URL(link.href).searchParams.get("t"));
    click.preventDefault();
    stop();
    go(last(data.marks.map((mark) => mark[0]), n));
  });
  fetch(form.dataset.replay).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status))).then(start).catch(() => {
    /* without the data the links and the form go on working */
  });
})();
