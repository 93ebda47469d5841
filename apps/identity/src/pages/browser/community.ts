import { RequestFailedError } from './post-json.js';
import { ReportCard } from './report-card.js';
import { REPORT_VIEWS } from './report-views.js';

interface ErrorEnvelope {
  error?: {
    message?: string;
    details?: { issues?: { path: string; message: string }[] };
  };
}

const TIMEOUT_MS = 20_000;

interface LoadedReport<Row> {
  rows: Row[];
  /** The time until which the rows are complete; null where that is unknown. */
  dataUntil: string | null;
}

/** Loads a report from this site. @param labels names of the query parameters on the page, for messages */
async function getReport<Row>(path: string, labels: Record<string, string>): Promise<LoadedReport<Row>> {
  const response = await fetch(path, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => {
    throw new RequestFailedError('The server cannot be reached. Check your connection and try again.');
  });
  if (response.ok)
    return { rows: (await response.json()) as Row[], dataUntil: response.headers.get('x-data-until') };
  const { error } = (await response.json().catch(() => ({}))) as ErrorEnvelope;
  const [issue] = error?.details?.issues ?? [];
  const message = issue ? `${labels[issue.path] ?? issue.path}: ${issue.message}.` : error?.message;
  throw new RequestFailedError(
    message ?? 'The server could not load this report. Try again later.',
    response.status >= 500 || response.status === 429,
  );
}

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
    : `Data until ${formatTime(new Date(known[0]))}, and some of what came later.`;
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
