import { find } from './find.js';
import type { SwaggerUi } from './swagger-ui.js';

const SCHEME = 'apiKey';
/** Only publishable ids are stored: they are made to be seen in browsers. A secret key would stay for whoever uses the browser next. */
const STORAGE_KEY = 'gatehouse.explorer.publishable-id';
const PUBLISHABLE_ID = /^gthp_[\w-]+$/;
/** What a header may hold. */
const KEY = /^[\x21-\x7e]{8,512}$/;

/** Storage may be forbidden or full: the id is forgotten with the tab then. */
function readStoredId(): string | undefined {
  try {
    const id = localStorage.getItem(STORAGE_KEY) ?? '';
    return PUBLISHABLE_ID.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function storeId(id: string | undefined): boolean {
  try {
    if (id === undefined) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, id);
    return true;
  } catch {
    return false;
  }
}

/** The box above the operations in which a person pastes an API key. */
export function startApiKeyBox(ui: SwaggerUi): void {
  const form = find('key-form', HTMLFormElement);
  const input = find('api-key', HTMLInputElement);
  const problem = find('key-problem', HTMLElement);
  const state = find('key-state', HTMLElement);
  const remove = find('remove-key', HTMLButtonElement);

  const showState = (): void => {
    const key = ui.authSelectors.authorized().getIn([SCHEME, 'value']);
    const text = typeof key === 'string' && key !== '' ? describe(key) : 'No key in use.';
    if (state.textContent !== text) state.textContent = text;
    remove.hidden = typeof key !== 'string' || key === '';
  };

  const showProblem = (text: string): void => {
    problem.textContent = text;
    problem.hidden = text === '';
    input.toggleAttribute('aria-invalid', text !== '');
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = input.value.trim();
    if (!KEY.test(key)) {
      showProblem(
        key === '' ? 'Paste a key first.' : 'This is no API key: a key is one word, such as gth_live_….',
      );
      input.focus();
      return;
    }
    showProblem('');
    // A secret key that follows a publishable id ends what is remembered, or the id would come back with the next visit.
    storeId(PUBLISHABLE_ID.test(key) ? key : undefined);
    ui.preauthorizeApiKey(SCHEME, key);
    input.value = '';
    showState();
  });
  remove.addEventListener('click', () => {
    storeId(undefined);
    ui.authActions.logout([SCHEME]);
    showState();
    input.focus();
  });
  // The dialog of all credentials sets and removes the key, too.
  ui.getStore().subscribe(showState);
  const stored = readStoredId();
  if (stored !== undefined) ui.preauthorizeApiKey(SCHEME, stored);
  showState();
  for (const control of form.querySelectorAll('input, button')) control.removeAttribute('disabled');
}

function describe(key: string): string {
  if (PUBLISHABLE_ID.test(key))
    return readStoredId() === key
      ? `In use: the publishable id ${key}. This browser remembers it until you remove it.`
      : `In use: the publishable id ${key}, in this tab only.`;
  return `In use: the key that ends in …${key.slice(-4)}. It is in the memory of this tab alone, and is gone when you reload or close it.`;
}
