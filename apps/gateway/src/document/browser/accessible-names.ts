/** Names that Swagger UI's controls lack, by selector. */
const NAMES: Readonly<Record<string, string>> = {
  'textarea.body-param__text': 'Body of the request',
  '.examples-select-element': 'Example',
  '.content-type-select, .content-type': 'Content type',
  '.close-modal': 'Close',
};

/** Headings that skip a level, and the level that they should have. */
const LEVELS: Readonly<Record<string, string>> = {
  '.auth-container h6': '5',
  '.auth-container .scopes h2': '5',
};

function repair(): void {
  for (const [selector, name] of Object.entries(NAMES))
    for (const control of document.querySelectorAll(selector))
      if (!control.hasAttribute('aria-label')) control.setAttribute('aria-label', name);
  for (const [selector, level] of Object.entries(LEVELS))
    for (const heading of document.querySelectorAll(selector)) heading.setAttribute('aria-level', level);
  // A box that scrolls can be scrolled with the keyboard only if it can have the focus.
  for (const box of document.querySelectorAll('pre.microlight')) {
    box.classList.add('scroll');
    box.setAttribute('tabindex', '0');
  }
  for (const button of document.querySelectorAll('button.modal-btn[aria-label]')) {
    const [name, text] = [button.getAttribute('aria-label') ?? '', button.textContent.trim()];
    // People who speak to their browser say what they see.
    if (!name.includes(text)) button.setAttribute('aria-label', `${text}: ${name}`);
  }
}

/** Gives the controls that Swagger UI draws the names and levels that it forgets. */
export function repairAccessibleNames(root: HTMLElement): void {
  let isPlanned = false;
  new MutationObserver(() => {
    if (isPlanned) return;
    isPlanned = true;
    queueMicrotask(() => {
      isPlanned = false;
      repair();
    });
  }).observe(root, { childList: true, subtree: true });
  repair();
}
