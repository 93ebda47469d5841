/** The server did not do what it was asked. The message is for people. */
export class RequestFailedError extends Error {
  override readonly name = 'RequestFailedError';
}

interface ErrorEnvelope {
  error?: { message?: string };
}

const TIMEOUT_MS = 20_000;

/** Posts JSON to a path of ours and reads JSON. */
export async function postJson<T>(path: string, csrf: string, question: object): Promise<T> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...question, csrf }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new RequestFailedError('The server cannot be reached. Check your connection and try again.');
  });
  if (answer.ok) return (await answer.json()) as T;
  const { error } = (await answer.json().catch(() => ({}))) as ErrorEnvelope;
  throw new RequestFailedError(error?.message ?? 'The server could not answer. Try again soon.');
}
