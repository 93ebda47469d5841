import { getReport } from './get-report.js';
import { RequestFailedError } from './post-json.js';
import { ReportCard } from './report-card.js';
import { REPORT_VIEWS } from './report-views.js';

const charts = document.querySelector<HTMLElement>('#charts');
const { base = '', query = '', timeZone = 'UTC', interval = '' } = charts?.dataset ?? {};
/** The parameters of a report on the page. */
const LABELS = { range: 'Range', interval: 'Group by', timeZone: 'Time zone' };
const cards: ReportCard[] = [];

/** The time until which each loaded report is complete, as far as it is known. */
const loadedUntil: (string | null)[] = [];

async function load(card: ReportCard, report: string): Promise<void> {
  const toView = REPORT_VIEWS[report];
  if (!toView) throw new Error(`There is no view of ${report}`);
  try {
    const { rows, dataUntil } = await getReport<never>(`${base}/${report}.json?${query}`, LABELS);
    card.show(toView(rows, { timeZone, interval, until: new Date(dataUntil ?? Date.now()) }));
    loadedUntil.push(dataUntil);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTransient = error instanceof RequestFailedError && error.isTransient;
    card.showProblem(error.message, isTransient ? () => void load(card, report) : undefined);
  }
}

function describeLoading(): string {
  if (loadedUntil.length === 0) return 'The charts could not be loaded.';
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const formatTime = (time: Date): string => `${format.format(time)} (${timeZone})`;
  const known = loadedUntil.filter((until) => until !== null).sort();
  return known[0] === undefined
    ? `Loaded ${formatTime(new Date())}.`
    : `Data until ${formatTime(new Date(known[0]))}.`;
}

/** Links to the same page in the time zone of the browser. */
function suggestTimeZone(): void {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (own === timeZone || !(own === 'UTC' || own.includes('/'))) return;
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
  await Promise.all(loading);
  const line = document.querySelector('#loaded');
  if (line) line.textContent = describeLoading();
  suggestTimeZone();
}

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const card of cards) card.draw();
});
void loadAll();
