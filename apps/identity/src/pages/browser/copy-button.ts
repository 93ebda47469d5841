/** Shows a copy button where the browser supports the clipboard API. It copies its `data-copy` at the time of the click. */
export function enableCopyButton(button: HTMLButtonElement): void {
  // Undefined outside of secure contexts, contrary to its type.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    clipboard.writeText(button.dataset['copy'] ?? '').then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Copying failed. Select the text and copy it'),
    );
  });
}
