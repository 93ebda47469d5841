/** Buttons that copy, where the browser lets a page do that. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  // Undefined outside of secure contexts, whatever the types say.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) break;
  button.hidden = false;
  button.addEventListener('click', () => {
    clipboard.writeText(button.dataset['copy'] ?? '').then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select and copy it by hand'),
    );
  });
}
