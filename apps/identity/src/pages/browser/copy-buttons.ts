/** Shows copy buttons where the browser supports the clipboard API. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  // Undefined outside of secure contexts, contrary to its type.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) break;
  button.hidden = false;
  button.addEventListener('click', () => {
    clipboard.writeText(button.dataset['copy'] ?? '').then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Copying failed. Select the text and copy it'),
    );
  });
}
