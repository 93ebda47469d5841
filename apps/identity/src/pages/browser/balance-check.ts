/** Shows how far a check of all members has come, until it or the session has ended. A hidden page asks nothing. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const PAUSE_GROWTH = 1.2;
const TIMEOUT_MS = 10_000;

const find = (root: ParentNode): HTMLElement | null => root.querySelector('#balance-check');

const findMembers = (root: ParentNode): HTMLElement | null => root.querySelector('#members-table');

/** Shows the roles that the check has changed, unless somebody is in the table with the keyboard. */
function refreshMembers(page: Document): void {
  const fresh = findMembers(page);
  const shown = findMembers(document);
  if (fresh && shown && !shown.contains(document.activeElement)) shown.replaceWith(fresh);
}

/** @returns whether the page goes on showing the check: it does not where its user has signed out, and is led to the login */
async function refresh(): Promise<boolean> {
  const response = await fetch(window.location.href, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (response.redirected) return false;
  if (!response.ok) return true;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = find(page);
  const shown = find(document);
  if (fresh && shown) shown.replaceWith(fresh);
  refreshMembers(page);
  return true;
}

const waitUntilShown = (): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    check();
  });

async function follow(): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  let goesOn = true;
  while (goesOn && find(document)?.dataset['running'] === 'yes') {
    await new Promise((resolve) => setTimeout(resolve, pause));
    await waitUntilShown();
    pause = Math.min(pause * PAUSE_GROWTH, MAX_PAUSE_MS);
    // A failed request is repeated after the pause.
    goesOn = await refresh().catch(() => true);
  }
}

void follow();
