/* Skill slips: the button names the choice, and no more seats can be ticked than the skill takes. Works without. */
(() => {
  document.querySelectorAll("form[data-skill]").forEach((form) => {
    const name = (input) => {
      const label = input.closest("label");
      return `${label.querySelector(".no").textContent} ${label.querySelector(".name").textContent}`;
    };
    const show = () => {
      form.querySelectorAll("fieldset[data-most]").forEach((set) => {
        const all = [...set.querySelectorAll("input")];
        const full = all.filter((i) => i.checked).length >= Number(set.dataset.most);
        all.forEach((i) => {
          if (i.dataset.held === undefined) i.dataset.held = i.disabled ? "1" : "";
          i.disabled = i.dataset.held === "1" || (full && !i.checked);
        });
      });
      const picked = [...form.querySelectorAll(".pick input:checked")].filter((i) => i.value !== "pass");
      form.querySelectorAll("button[data-says]").forEach((button) => {
        button.textContent = picked.length ? `${button.dataset.says}：${picked.map(name).join("、")}` : button.dataset.says;
      });
    };
    form.addEventListener("change", show);
    show();
  });
})();
