import { getJson } from './get-json.js';
import { RequestFailedError } from './post-json.js';
import { ReportCard } from './report-card.js';
import { REPORT_VIEWS } from './report-views.js';

const charts = document.querySelector<HTMLElement>('#charts');
const { base = '', query = '', timeZone = 'UTC', interval = '' } = charts?.dataset ?? {};
/** The parameters of a report on the page. */
const LABELS = { range: 'Range', interval: 'Group by', timeZone: 'Time zone' };
const cards: ReportCard[] = [];

/** @returns whether the report is shown */
async function load(card: ReportCard, report: string): Promise<boolean> {
  const toView = REPORT_VIEWS[report];
  if (!toView) throw new Error(`There is no view of ${report}`);
  try {
    const rows = await getJson<never[]>(`${base}/${report}.json?${query}`, LABELS);
    card.show(toView(rows, { timeZone, interval }));
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTransient = error instanceof RequestFailedError && error.isTransient;
    card.showProblem(error.message, isTransient ? () => void load(card, report) : undefined);
    return false;
  }
}

function describeLoading(isAnyShown: boolean): string {
  if (!isAnyShown) return 'The charts could not be loaded.';
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return `Loaded ${time.format(new Date())} (${timeZone}). Events are counted within seconds.`;
}

/** Links to the same page in the time zone of the browser. */
function suggestTimeZone(): void {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const select = document.querySelector<HTMLSelectElement>('#time-zone');
  const isListed = [...(select?.options ?? [])].some(({ value }) => value === own);
  if (!isListed || own === timeZone) return;
  const url = new URL(window.location.href);
  url.searchParams.set('timeZone', own);
  const link = document.createElement('a');
  link.href = url.href;
  link.textContent = `Show in your time zone (${own})`;
  document.querySelector('#loaded')?.append(' ', link);
}

async function loadAll(): Promise<void> {
  const sections = [...(charts?.querySelectorAll<HTMLElement>('[data-report]') ?? [])];
  const loading = sections.map((section) => {
    const card = new ReportCard(section);
    cards.push(card);
    return load(card, section.dataset['report'] ?? '');
  });
  const line = document.querySelector('#loaded');
  if (line) line.textContent = describeLoading((await Promise.all(loading)).includes(true));
  suggestTimeZone();
}

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const card of cards) card.draw();
});
void loadAll();
