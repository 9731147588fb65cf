/* The ballot page works without this: the preview follows the form, the link to the post by hand opens its field. */
(() => {
  const form = document.querySelector("[data-vote]");
  if (form) {
    const box = form.querySelector("[data-preview]");
    const show = () => {
      const chosen = form.querySelector("[name=target]:checked");
      box.hidden = !chosen;
      box.querySelector("[data-target]").textContent = chosen ? chosen.dataset.name : "";
      box.querySelector("[data-reason]").textContent = form.querySelector("[name=reason]").value.trim();
    };
    form.addEventListener("input", show);
    show();
  }
  const raw = document.getElementById("raw");
  const open = () => { if (raw && location.hash === "#raw") raw.open = true; };
  window.addEventListener("hashchange", open);
  open();
})();
