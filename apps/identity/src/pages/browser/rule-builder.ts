/**
 * Makes the builder of rules smoother: the buttons that only try a rule or put it into words replace the page's content in the place of
 * loading a page, so that the position of the page and the history stay. Without this script the same forms load the same pages.
 */

/** Steps that lead to a page at which the person goes on working with the same rule. */
const STEPS_IN_PLACE = ['try', 'own', 'update', 'out'];

const isInPlace = (submitter: HTMLElement | null): submitter is HTMLButtonElement =>
  submitter instanceof HTMLButtonElement &&
  submitter.name === 'step' &&
  STEPS_IN_PLACE.includes(submitter.value.split('-')[0] ?? '');

/** Only the newest answer is shown. */
let current: AbortController | undefined;

async function loadInPlace(form: HTMLFormElement, submitter: HTMLButtonElement): Promise<void> {
  current?.abort();
  const controller = new AbortController();
  current = controller;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.set(name, value);
  submitter.setAttribute('aria-disabled', 'true');
  const response = await fetch(form.action, { method: 'POST', body, signal: controller.signal });
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const main = page.querySelector('main');
  const own = document.querySelector('main');
  // The login, or the page of an error: the browser shows it as without this script.
  if (!main?.querySelector('[data-rule-form]') || !own) {
    submitForReal(form, submitter);
    return;
  }
  if (response.redirected) history.replaceState(null, '', response.url);
  own.replaceChildren(...main.childNodes);
  showAnswer(own, submitter.value);
}

/** The answer gets the focus, so that it is read out; else the button that was used keeps it. */
function showAnswer(main: HTMLElement, step: string): void {
  const answer = main.querySelector<HTMLElement>('.results, #addresses[aria-invalid], [role=alert]');
  const button = main.querySelector<HTMLElement>(`button[name=step][value="${CSS.escape(step)}"]`);
  const target = answer ?? button ?? main;
  target.focus({ preventScroll: answer === null });
  answer?.scrollIntoView({ block: 'nearest' });
}

function submitForReal(form: HTMLFormElement, submitter: HTMLButtonElement): void {
  form.dataset['plain'] = 'true';
  submitter.removeAttribute('aria-disabled');
  form.requestSubmit(submitter);
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || !form.matches('[data-rule-form]')) return;
  if (form.dataset['plain'] !== undefined || !isInPlace(submitter)) return;
  event.preventDefault();
  loadInPlace(form, submitter).catch((error: unknown) => {
    const isOld = error instanceof DOMException && error.name === 'AbortError';
    if (!isOld) submitForReal(form, submitter);
  });
});

/** A choice of role or of how conditions are joined shows in the sentence at once. */
document.addEventListener('change', ({ target }) => {
  if (
    !(target instanceof HTMLSelectElement) &&
    !(target instanceof HTMLInputElement && target.type === 'number')
  )
    return;
  const { form } = target;
  if (!form?.matches('[data-rule-form]')) return;
  const update = form.querySelector<HTMLButtonElement>('button[name=step][value=update]');
  if (update) form.requestSubmit(update);
});
