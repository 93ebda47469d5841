import { SAVED_FORM_KEY as STORAGE_KEY } from './saved-form-key.js';

/**
 * Restores a form that was not accepted: it was submitted after the session had ended, and its user has signed in again, or the answer was
 * the page of a problem. Its fields stay in the tab's session storage until any page except the login and that one is loaded, because
 * every other page loads this script.
 */
const NOTICES = {
  login: 'You have signed in again. Your changes are not saved yet: check the form and submit it again.',
  problem: 'Your changes are not saved yet: check the form and submit it again.',
};

interface SavedForm {
  userId: string;
  action: string;
  fields: Record<string, string>;
  /** The answer was the page of a problem. */
  isRefused?: true;
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The id of the signed-in user, whatever they signed in with. */
const userId = document.querySelector<HTMLElement>('header .account')?.dataset['user'] ?? '';

/** The fields that users fill in, and hidden ones that say what they saw when they did. */
const listFields = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('input:not([type=hidden]), input[data-seen], select, textarea'),
];

const isCheckable = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type);

function saveForm(form: HTMLFormElement): void {
  const filledFields = listFields(form).filter((field) => !isCheckable(field) || field.checked);
  const fields = Object.fromEntries(filledFields.map(({ name, value }) => [name, value]));
  const saved: SavedForm = { userId, action: form.action, fields };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(saved));
}

function fillForm(form: HTMLFormElement, values: SavedForm['fields']): void {
  for (const field of listFields(form)) {
    const value = values[field.name];
    if (isCheckable(field)) field.checked = value === field.value;
    else field.value = value ?? '';
  }
}

function showNotice(form: HTMLFormElement, text: string): void {
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.role = 'status';
  notice.tabIndex = -1;
  notice.textContent = text;
  form.prepend(notice);
  for (const details of document.querySelectorAll('details')) if (details.contains(form)) details.open = true;
  notice.focus();
}

const text = sessionStorage.getItem(STORAGE_KEY);
sessionStorage.removeItem(STORAGE_KEY);
const cameFromLogin = URL.canParse(document.referrer) && new URL(document.referrer).pathname === '/login';

if (text !== null) {
  const saved = JSON.parse(text) as SavedForm;
  const keptNotice = document.querySelector<HTMLElement>('[data-keeps-form]');
  if (keptNotice) {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...saved, isRefused: true }));
    // Another user, who has signed in meanwhile, is shown nothing of it.
    keptNotice.hidden = userId !== '' && saved.userId !== userId;
  } else if (cameFromLogin || saved.isRefused)
    restore(saved, saved.isRefused ? NOTICES.problem : NOTICES.login);
}

function restore(saved: SavedForm, notice: string): void {
  const forms = document.querySelectorAll<HTMLFormElement>('form[data-save-form]');
  const form = [...forms].find(({ action }) => action === saved.action);
  if (!form || saved.userId !== userId) return;
  fillForm(form, saved.fields);
  showNotice(form, notice);
}

document.addEventListener('submit', ({ target }) => {
  // A page from the back/forward cache did not run the removal above again.
  sessionStorage.removeItem(STORAGE_KEY);
  if (target instanceof HTMLFormElement && target.matches('[data-save-form]')) saveForm(target);
});
