import './copy-buttons.js';

/**
 * Names the page that a form's answer shows as its address, so that loading it again shows the page and does not send the form again.
 * Browsers forget what was sent once the address of an entry of the history is replaced.
 */
const path = document.querySelector<HTMLElement>('[data-page-path]')?.dataset['pagePath'];
if (path !== undefined && path !== window.location.pathname) window.history.replaceState(null, '', path);
