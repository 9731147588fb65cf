/* Copy buttons of the announcements; without script the text is selected and copied by hand. */
(() => {
  document.querySelectorAll("[data-copy]").forEach((button) => {
    const area = document.getElementById(button.dataset.copy);
    button.hidden = false;
    button.addEventListener("click", async () => {
      area.select();
      try { await navigator.clipboard.writeText(area.value); } catch { document.execCommand("copy"); }
      const before = button.textContent;
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = before; }, 2000);
    });
  });
})();
