/** Shows how far a check of all members has come, until it has ended. */
const PAUSE_MS = 2_000;
const TIMEOUT_MS = 10_000;

const find = (root: ParentNode): HTMLElement | null => root.querySelector('#balance-check');

async function refresh(): Promise<void> {
  const response = await fetch(window.location.href, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = find(page);
  const shown = find(document);
  if (fresh && shown) shown.replaceWith(fresh);
}

async function follow(): Promise<void> {
  while (find(document)?.dataset['running'] === 'yes') {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    // A failed request is repeated after the pause.
    await refresh().catch(() => undefined);
  }
}

void follow();
