/* Keys: when a passkey was not given, say so on the page instead of in the console only. */
document.addEventListener("allauth.error", (event) => {
  const said = document.querySelector("[data-key-error]");
  if (!said) return;
  event.preventDefault();
  said.hidden = false;
});
