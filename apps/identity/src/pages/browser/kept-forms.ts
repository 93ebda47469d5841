/**
 * Who has to sign in before a form is taken finds it as it was filled in. What was typed stays in this tab, and only until
 * the next page of the portal.
 */
const PLACE = 'form that was sent';
const SAID = 'You have signed in again. Nothing was sent yet: look at it, and send it once more.';

interface Kept {
  action: string;
  fields: Record<string, string>;
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What people fill in: nothing that the page itself says. */
const fieldsOf = (form: HTMLFormElement): Field[] => [
  ...form.querySelectorAll<Field>('input:not([type=hidden]), select, textarea'),
];

function keep(form: HTMLFormElement): void {
  const filledIn = [...new FormData(form)].filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  );
  const kept: Kept = { action: form.action, fields: Object.fromEntries(filledIn) };
  sessionStorage.setItem(PLACE, JSON.stringify(kept));
}

function fillIn(form: HTMLFormElement, values: Kept['fields']): void {
  for (const field of fieldsOf(form)) {
    const value = values[field.name];
    const isMarked = field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type);
    if (isMarked) field.checked = value === field.value;
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

const forms = [...document.querySelectorAll<HTMLFormElement>('form[data-kept]')];
const text = sessionStorage.getItem(PLACE);
sessionStorage.removeItem(PLACE);
const cameFromLogin = URL.canParse(document.referrer) && new URL(document.referrer).pathname === '/login';

if (text !== null && cameFromLogin) {
  const { action, fields } = JSON.parse(text) as Kept;
  const form = forms.find((one) => one.action === action);
  if (form) {
    fillIn(form, fields);
    tell(form);
  }
}

for (const form of forms)
  form.addEventListener('submit', () => {
    keep(form);
  });
