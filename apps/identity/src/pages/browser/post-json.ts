/** A request to the server failed. The message is shown to the user. */
export class RequestFailedError extends Error {
  override readonly name = 'RequestFailedError';

  constructor(
    message: string,
    /** Whether the same request may succeed later. */
    readonly isTransient = true,
  ) {
    super(message);
  }
}

interface ErrorEnvelope {
  error?: { message?: string };
}

const TIMEOUT_MS = 20_000;

/** Posts JSON to this site and parses the JSON response. */
export async function postJson<T>(path: string, csrf: string, body: object): Promise<T> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, csrf }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new RequestFailedError('The server cannot be reached. Check your connection and try again.');
  });
  if (response.ok) return (await response.json()) as T;
  const { error } = (await response.json().catch(() => ({}))) as ErrorEnvelope;
  throw new RequestFailedError(
    error?.message ?? 'The server could not process the request. Try again later.',
  );
}
