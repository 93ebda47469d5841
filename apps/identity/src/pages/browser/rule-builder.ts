import { SAVED_FORM_KEY } from './saved-form-key.js';

/**
 * Makes the builder of rules smoother: its forms are sent in the background, and the page that answers takes the place of the shown one. A
 * refused form leaves no entry in the history, so that going back never asks to send a form again, and what was typed stays when the server
 * cannot be reached. Without this script the same forms load the same pages.
 */
const FORM = 'form[data-rule-form]';
const UNREACHABLE = 'The server cannot be reached. Nothing is lost: try it again in a moment.';

const LATE =
  'The server takes too long to answer. What you filled in stands here still: try it again in a moment.';

/** Trying a rule may wait for chains, which have less time than this. */
const TIMEOUT_MS = 45_000;

/** Steps after which the person goes on with the same page. */
const STEPS_IN_PLACE = ['try', 'own', 'update', 'out'];

/** Steps that mean the same on the page that answers another step. */
const STEPS_THAT_WAIT = ['save', 'try', 'own', 'another', 'update'];

const readStep = (submitter: HTMLElement | null): string =>
  submitter instanceof HTMLButtonElement && submitter.name === 'step'
    ? (submitter.value.split('-')[0] ?? '')
    : '';

const findButton = (parent: ParentNode, step: string): HTMLButtonElement | null =>
  parent.querySelector(`button[name=step][value="${CSS.escape(step)}"]:not([hidden])`);

/** The step that is sent. A form is sent once at a time: a second click on the same button changes nothing. */
let sentStep: string | undefined;

/** The step that was asked for meanwhile, which is sent from the page that answers. */
let nextStep: string | undefined;

/** The page that is shown, without what its address names within it. */
let shownPage = location.pathname + location.search;

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const listFields = (parent: ParentNode): Field[] => [
  ...parent.querySelectorAll<Field>('input:not([type=hidden], [type=radio]), select, textarea'),
];

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value);
  const sentValues = new Map(listFields(form).map((field) => [field.name, field.value]));
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(form.action, { method: 'POST', body, signal });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const answer = page.querySelector('main');
  const main = document.querySelector('main');
  // The login, and pages of other kinds, are loaded as without this script.
  if (!answer || !main || !page.querySelector('script[src$="/rule-builder.js"]')) {
    // The login says that the session has ended, and leads back to this page, whose address names the draft, and to what was filled in.
    if (response.redirected && new URL(response.url).pathname === '/login') location.replace(response.url);
    else if (response.redirected) location.assign(response.url);
    else sendPlainly(form, submitter);
    return;
  }
  sessionStorage.removeItem(SAVED_FORM_KEY);
  const isInPlace = !response.redirected || STEPS_IN_PLACE.includes(readStep(submitter));
  if (response.redirected) history[isInPlace ? 'replaceState' : 'pushState'](null, '', response.url);
  shownPage = location.pathname + location.search;
  document.title = page.title;
  const lateFields = listFields(form).filter(({ name, value }) => value !== sentValues.get(name));
  main.replaceChildren(...answer.childNodes);
  if (isInPlace) {
    fillIn(main, lateFields);
    showAnswer(main, submitter);
  } else {
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}

/** What was changed while the form was sent stays. */
function fillIn(main: HTMLElement, lateFields: readonly Field[]): void {
  const fields = listFields(main);
  for (const { name, value } of lateFields) {
    const field = fields.find((one) => one.name === name);
    if (field) field.value = value;
  }
}

function sendNext(): void {
  const button = nextStep === undefined ? null : findButton(document, nextStep);
  nextStep = undefined;
  button?.form?.requestSubmit(button);
}

/** The answer is in sight and gets the focus, so that it is read out; else the button that was used keeps it. */
function showAnswer(main: HTMLElement, submitter: HTMLElement | null): void {
  const answer = main.querySelector<HTMLElement>(
    '.results, [role=alert][tabindex], [autofocus], [aria-invalid], [role=alert]',
  );
  const step = submitter instanceof HTMLButtonElement ? submitter.value : '';
  (answer ?? findButton(main, step) ?? main).focus({ preventScroll: true });
  (answer?.closest('.field') ?? answer)?.scrollIntoView({ block: 'nearest' });
}

function sendPlainly(form: HTMLFormElement, submitter: HTMLElement | null): void {
  form.dataset['plain'] = 'true';
  form.requestSubmit(submitter);
}

function showUnreachable(form: HTMLFormElement, isLate: boolean): void {
  form.querySelector('[data-unreachable]')?.remove();
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.role = 'alert';
  notice.dataset['unreachable'] = '';
  notice.textContent = isLate ? LATE : UNREACHABLE;
  form.prepend(notice);
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || !form.matches(FORM)) return;
  if (form.dataset['plain'] !== undefined) return;
  event.preventDefault();
  const step = readStep(submitter);
  if (sentStep !== undefined) {
    const isRepeated = step === sentStep && step !== 'update';
    if (!isRepeated && STEPS_THAT_WAIT.includes(step)) nextStep = step;
    return;
  }
  sentStep = step;
  form.setAttribute('aria-busy', 'true');
  send(form, submitter)
    .catch((error: unknown) => {
      nextStep = undefined;
      showUnreachable(form, error instanceof DOMException && error.name === 'TimeoutError');
    })
    .finally(() => {
      sentStep = undefined;
      form.removeAttribute('aria-busy');
      sendNext();
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
  if (location.pathname + location.search !== shownPage) location.reload();
});
