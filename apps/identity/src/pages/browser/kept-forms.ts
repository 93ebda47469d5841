/**
 * Who has to sign in before a form is taken finds it as it was filled in. What was typed stays in this tab, for whoever typed
 * it, and only until the next page but the login: every other one loads this.
 */
const PLACE = 'form that was sent';
const SAID = 'You have signed in again. Nothing was sent yet: look at it, and send it once more.';

interface Kept {
  account: string;
  action: string;
  fields: Record<string, string>;
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Whose page this is. */
const account = document.querySelector<HTMLElement>('header .account')?.title ?? '';

/** What people fill in: nothing that the page itself says. */
const fieldsOf = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('input:not([type=hidden]), select, textarea'),
];

const isMark = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type);

function keep(form: HTMLFormElement): void {
  const filledIn = fieldsOf(form).filter((field) => !isMark(field) || field.checked);
  const fields = Object.fromEntries(filledIn.map(({ name, value }) => [name, value]));
  const kept: Kept = { account, action: form.action, fields };
  sessionStorage.setItem(PLACE, JSON.stringify(kept));
}

function fillIn(form: HTMLFormElement, values: Kept['fields']): void {
  for (const field of fieldsOf(form)) {
    const value = values[field.name];
    if (isMark(field)) field.checked = value === field.value;
    else field.value = value ?? '';
  }
}

function tell(form: HTMLFormElement): void {
  const note = document.createElement('p');
  note.className = 'notice';
  note.role = 'status';
  note.tabIndex = -1;
  note.textContent = SAID;
  form.prepend(note);
  for (const hidden of document.querySelectorAll('details')) if (hidden.contains(form)) hidden.open = true;
  note.focus();
}

const text = sessionStorage.getItem(PLACE);
sessionStorage.removeItem(PLACE);
const cameFromLogin = URL.canParse(document.referrer) && new URL(document.referrer).pathname === '/login';

if (text !== null && cameFromLogin) {
  const kept = JSON.parse(text) as Kept;
  const forms = document.querySelectorAll<HTMLFormElement>('form[data-kept]');
  const form = [...forms].find(({ action }) => action === kept.action);
  if (form && kept.account === account) {
    fillIn(form, kept.fields);
    tell(form);
  }
}

document.addEventListener('submit', ({ target }) => {
  // A page that is shown again as it was left has not forgotten anything by itself.
  sessionStorage.removeItem(PLACE);
  if (target instanceof HTMLFormElement && target.matches('[data-kept]')) keep(target);
});
