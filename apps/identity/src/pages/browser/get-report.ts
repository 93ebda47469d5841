import { RequestFailedError } from './post-json.js';

interface ErrorEnvelope {
  error?: {
    message?: string;
    details?: { issues?: { path: string; message: string }[] };
  };
}

const TIMEOUT_MS = 20_000;

export interface LoadedReport<Row> {
  rows: Row[];
  /** The time until which the rows are complete; null where that is unknown. */
  dataUntil: string | null;
}

/** Loads a report from this site. @param labels names of the query parameters on the page, for messages */
export async function getReport<Row>(
  path: string,
  labels: Record<string, string>,
): Promise<LoadedReport<Row>> {
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
