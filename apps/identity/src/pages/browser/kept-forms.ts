/**
 * Who has to sign in before a form is taken finds it as it was filled in. What was typed stays in this tab, for whoever typed
 * it, and only until the next page but the login: every other one loads this.
 */
const STORAGE_KEY = 'form that was sent';
const NOTICE_TEXT = 'You have signed in again. Nothing was sent yet: look at it, and send it once more.';

interface SavedForm {
  account: string;
  action: string;
  fields: Record<string, string>;
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Whose page this is. */
const account = document.querySelector<HTMLElement>('header .account')?.title ?? '';

/** What people fill in: nothing that the page itself says. */
const listFields = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('input:not([type=hidden]), select, textarea'),
];

const isCheckable = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type);

function saveForm(form: HTMLFormElement): void {
  const filledIn = listFields(form).filter((field) => !isCheckable(field) || field.checked);
  const fields = Object.fromEntries(filledIn.map(({ name, value }) => [name, value]));
  const kept: SavedForm = { account, action: form.action, fields };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
}

function fillForm(form: HTMLFormElement, values: SavedForm['fields']): void {
  for (const field of listFields(form)) {
    const value = values[field.name];
    if (isCheckable(field)) field.checked = value === field.value;
    else field.value = value ?? '';
  }
}

function showNotice(form: HTMLFormElement): void {
  const note = document.createElement('p');
  note.className = 'notice';
  note.role = 'status';
  note.tabIndex = -1;
  note.textContent = NOTICE_TEXT;
  form.prepend(note);
  for (const hidden of document.querySelectorAll('details')) if (hidden.contains(form)) hidden.open = true;
  note.focus();
}

const text = sessionStorage.getItem(STORAGE_KEY);
sessionStorage.removeItem(STORAGE_KEY);
const cameFromLogin = URL.canParse(document.referrer) && new URL(document.referrer).pathname === '/login';

if (text !== null && cameFromLogin) {
  const kept = JSON.parse(text) as SavedForm;
  const forms = document.querySelectorAll<HTMLFormElement>('form[data-kept]');
  const form = [...forms].find(({ action }) => action === kept.action);
  if (form && kept.account === account) {
    fillForm(form, kept.fields);
    showNotice(form);
  }
}

document.addEventListener('submit', ({ target }) => {
  // A page that is shown again as it was left has not forgotten anything by itself.
  sessionStorage.removeItem(STORAGE_KEY);
  if (target instanceof HTMLFormElement && target.matches('[data-kept]')) saveForm(target);
});
