import { enableCopyButton } from './copy-button.js';

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]'))
  enableCopyButton(button);
