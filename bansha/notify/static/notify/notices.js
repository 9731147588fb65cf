/* Web push on this device: ask the browser, hand its address over. Without script the page says that push needs one. */
const place = document.querySelector("[data-town-key]");

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return place.dataset.refused;
  await navigator.serviceWorker.register("/push.js", { scope: "/" });
  const ready = await navigator.serviceWorker.ready;
  const asked = { userVisibleOnly: true, applicationServerKey: bytes(place.dataset.townKey) };
  const had = await ready.pushManager.getSubscription();
  const made = had || (await ready.pushManager.subscribe(asked));
  const { endpoint, keys } = made.toJSON();
  const body = new URLSearchParams({ endpoint, p256dh: keys.p256dh, auth: keys.auth });
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const answer = await fetch(place.dataset.address, { method: "POST", headers: { "X-CSRFToken": token }, body });
  const { said } = await answer.json();
  if (answer.ok) location.reload();
  return said;
}

if (place && "serviceWorker" in navigator && "PushManager" in window) {
  const button = place.querySelector("button");
  const line = place.querySelector("[role=status]");
  place.hidden = false;
  document.querySelector("[data-no-push]").hidden = true;
  button.addEventListener("click", async () => {
    button.disabled = true;
    line.textContent = await subscribe().catch(() => place.dataset.failed);
    button.disabled = false;
  });
}
