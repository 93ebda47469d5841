import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '@app/common';
import { EXIT_CODES } from '@app/database';
import { z } from 'zod';
import { CommandLineError } from './command-line.errors.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Above the deployment's own bound of an operation. */
const TIMEOUT_MS = 30 * SECOND_MS;
/** A list of 1,000 applications with all their fields takes less. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_ATTEMPTS = 5;
/** A longer wait, such as the end of a month's quota, is for the user to decide. */
const MAX_RETRY_AFTER_MS = MINUTE_MS;
const FIRST_PAUSE_MS = 500;

/** The envelope of contract.md section 2. */
const envelope = z.object({
  error: z.object({
    message: z.string(),
    details: z.object({
      code: z.string().optional(),
      issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  }),
});

/** The form of OAuth's endpoints (RFC 6749 section 5.2). */
const oauthError = z.object({ error: z.string(), error_description: z.string().optional() });

/** An operation refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
}

interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Public operations of a deployment, one request after the other. A 429 is waited for, up to a minute: all users of a tool share the limits of
 * the tenant that its client application belongs to. What is safe to repeat is repeated when no answer comes; a creation is not.
 */
export class GatehouseApi {
  /** @param authorization makes the header for each request, which may have to refresh a token */
  constructor(
    readonly origin: string,
    private readonly authorization: () => Promise<Readonly<Record<string, string>>>,
  ) {}

  /** @throws ApiError, CommandLineError where the deployment does not answer */
  async call<S extends z.ZodType>(
    method: Method,
    path: string,
    schema: S,
    body?: object,
  ): Promise<z.output<S>> {
    const headers = {
      ...(await this.authorization()),
      ...(body && { 'content-type': 'application/json' }),
    };
    const request = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
    const text = await this.send(request, MAX_ATTEMPTS);
    return this.parse(schema, text, path);
  }

  /** A form to an endpoint of OAuth, sent once. @throws ApiError, CommandLineError */
  async postForm<S extends z.ZodType>(
    path: string,
    fields: Readonly<Record<string, string>>,
    schema: S,
  ): Promise<z.output<S>> {
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    const text = await this.send({ method: 'POST', path, headers, body }, 1);
    return this.parse(schema, text, path);
  }

  private parse<S extends z.ZodType>(schema: S, text: string, path: string): z.output<S> {
    const parsed = schema.safeParse(text === '' ? undefined : parseJson(text));
    if (parsed.success) return parsed.data;
    throw new CommandLineError(
      `${this.origin} answered something else than Gatehouse does (${path}). Is it the right address?`,
      EXIT_CODES.failed,
    );
  }

  private async send(request: ApiRequest, maxAttempts: number): Promise<string> {
    let mayBeDone = false;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.attempt(request, attempt);
      if (answer?.status === 404 && request.method === 'DELETE' && mayBeDone) return '';
      // Without an answer, or with one of something in between, an earlier attempt may have deleted it.
      mayBeDone ||= answer === undefined || answer.status >= 500;
      if (answer === undefined) continue;
      if (answer.status < 300) return answer.text;
      const pauseMs = attempt < maxAttempts ? findPause(request, answer, attempt) : undefined;
      if (pauseMs === undefined) throw toError(answer);
      await sleep(pauseMs);
    }
  }

  /** @returns undefined where no answer came and the request may be sent again */
  private async attempt(request: ApiRequest, attempt: number): Promise<Answer | undefined> {
    try {
      return await fetchBounded(this.origin, request);
    } catch (error) {
      if (isRepeatable(request) && attempt < MAX_ATTEMPTS) {
        await sleep(FIRST_PAUSE_MS * attempt);
        return undefined;
      }
      throw new CommandLineError(
        `${this.origin} does not answer (${request.method} ${request.path}). Run the command again once it does: it goes on where it stopped.`,
        EXIT_CODES.failed,
        { cause: error },
      );
    }
  }
}

async function fetchBounded(origin: string, { method, path, headers, body }: ApiRequest): Promise<Answer> {
  const response = await fetch(origin + path, {
    method,
    // A redirect would carry the token to another host.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  });
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status: response.status,
    text: await readBounded(response),
    retryAfterMs: Number.isFinite(seconds) ? seconds * SECOND_MS : undefined,
  };
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) return Buffer.concat(chunks).toString();
    const chunk: unknown = read.value;
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
}

const isRepeatable = ({ method }: ApiRequest): boolean => method !== 'POST';

function findPause(
  request: ApiRequest,
  { status, retryAfterMs }: Answer,
  attempt: number,
): number | undefined {
  const isBusy = status === 429 || (isRepeatable(request) && [502, 503, 504].includes(status));
  const pauseMs = retryAfterMs ?? FIRST_PAUSE_MS * attempt;
  return isBusy && pauseMs <= MAX_RETRY_AFTER_MS ? pauseMs : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toError({ status, text }: Answer): ApiError {
  const json = parseJson(text);
  const oauth = oauthError.safeParse(json).data;
  if (oauth) return new ApiError(status, oauth.error, oauth.error_description ?? oauth.error);
  const error = envelope.safeParse(json).data?.error;
  if (!error) return new ApiError(status, '', `The answer was ${String(status)}.`);
  const issues = error.details.issues?.map((issue) => `${issue.path}: ${issue.message}`) ?? [];
  return new ApiError(status, error.details.code ?? '', [error.message, ...issues].join('\n  '));
}
