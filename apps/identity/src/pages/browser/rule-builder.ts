/**
 * Makes the builder of rules smoother: its forms are sent in the background, and the page that answers takes the place of the shown one. A
 * refused form leaves no entry in the history, so that going back never asks to send a form again, and what was typed stays when the server
 * cannot be reached. Without this script the same forms load the same pages.
 */
const FORM = 'form[data-rule-form]';
const UNREACHABLE = 'The server cannot be reached. Nothing is lost: try it again in a moment.';

/** Steps after which the person goes on with the same page. */
const STEPS_IN_PLACE = ['try', 'own', 'update', 'out'];

const readStep = (submitter: HTMLElement | null): string =>
  submitter instanceof HTMLButtonElement && submitter.name === 'step'
    ? (submitter.value.split('-')[0] ?? '')
    : '';

/** A form is sent once at a time: a second click changes nothing. */
let isBusy = false;

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value);
  const response = await fetch(form.action, { method: 'POST', body });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const answer = page.querySelector('main');
  const main = document.querySelector('main');
  // The login, and pages of other kinds, are loaded as without this script.
  if (!answer || !main || !page.querySelector('script[src$="/rule-builder.js"]')) {
    if (response.redirected) location.assign(response.url);
    else sendPlainly(form, submitter);
    return;
  }
  const step = readStep(submitter);
  const isInPlace = !response.redirected || STEPS_IN_PLACE.includes(step);
  if (response.redirected) history[isInPlace ? 'replaceState' : 'pushState'](null, '', response.url);
  document.title = page.title;
  main.replaceChildren(...answer.childNodes);
  if (isInPlace) showAnswer(main, submitter);
  else {
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}

/** The answer gets the focus, so that it is read out; else the button that was used keeps it. */
function showAnswer(main: HTMLElement, submitter: HTMLElement | null): void {
  const answer = main.querySelector<HTMLElement>(
    '.results, [role=alert][tabindex], [aria-invalid], [role=alert]',
  );
  const step = submitter instanceof HTMLButtonElement ? submitter.value : '';
  const button = main.querySelector<HTMLElement>(
    `button[name=step][value="${CSS.escape(step)}"]:not([hidden])`,
  );
  (answer ?? button ?? main).focus({ preventScroll: answer === null });
}

function sendPlainly(form: HTMLFormElement, submitter: HTMLElement | null): void {
  form.dataset['plain'] = 'true';
  form.requestSubmit(submitter);
}

function showUnreachable(form: HTMLFormElement): void {
  form.querySelector('[data-unreachable]')?.remove();
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.role = 'alert';
  notice.dataset['unreachable'] = '';
  notice.textContent = UNREACHABLE;
  form.prepend(notice);
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || !form.matches(FORM)) return;
  if (form.dataset['plain'] !== undefined) return;
  event.preventDefault();
  if (isBusy) return;
  isBusy = true;
  form.setAttribute('aria-busy', 'true');
  send(form, submitter)
    .catch(() => {
      showUnreachable(form);
    })
    .finally(() => {
      isBusy = false;
      form.removeAttribute('aria-busy');
    });
});

/** A choice of role or of how conditions are joined shows in the sentence at once. */
document.addEventListener('change', ({ target }) => {
  const isChoice =
    target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'number');
  if (!isChoice) return;
  const update = target.form?.querySelector<HTMLButtonElement>('button[name=step][value=update]');
  if (update) target.form?.requestSubmit(update);
});

/** The addresses that this script has put into the history are loaded when somebody goes back to them. */
window.addEventListener('popstate', () => {
  location.reload();
});
