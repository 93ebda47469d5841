import { getTraceparent, inSpan, parseRetryAfter } from '@app/common';
import { type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { readBoundedBody, RenewingPool } from '@app/http';
import type { z } from 'zod';

const CONNECT_TIMEOUT_MS = 1_000;
const DEFAULT_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface InternalClientOptions {
  /** Key of the calling app; its `kid` is the app's name. */
  signingKey: InternalSigningKey;
  /** The called app. */
  app: string;
  origin: string;
  connections?: number;
  /** The timeout of a whole response; default 2,000. */
  timeoutMs?: number;
  /** Maximum response size; default 1 MiB. */
  maxBytes?: number;
}

/** The called app responded with another status than 200. */
export class UnexpectedStatusError extends Error {
  override readonly name = 'UnexpectedStatusError';

  constructor(
    readonly status: number,
    message: string,
    /** The wait that the Retry-After header demands, in seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** Calls `/internal/*` of another app, authenticated as this app (docs/adr/0003-principal-tokens-and-header-allow-list.md). */
export class InternalClient {
  private readonly issuer: PrincipalIssuer;
  private readonly pool: RenewingPool;

  constructor(private readonly options: InternalClientOptions) {
    this.issuer = new PrincipalIssuer(options.signingKey);
    this.pool = new RenewingPool(options.origin, {
      connections: options.connections ?? 4,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }

  /** Rejects on timeout, on another status than 200, or when the response does not match the schema. */
  get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.call('GET', path, schema);
  }

  /** Rejects as `get` does. */
  post<S extends z.ZodType>(path: string, body: object, schema: S): Promise<z.output<S>> {
    return this.call('POST', path, schema, JSON.stringify(body));
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  /** Sends a request in a span, which does not name the path, because it may hold ids. */
  private call<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: string,
  ): Promise<z.output<S>> {
    const name = `call ${this.options.app}`;
    return inSpan({ name, kind: 'CLIENT' }, () => this.send(method, path, schema, body));
  }

  private async send<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: string,
  ): Promise<z.output<S>> {
    const { app, signingKey, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = MAX_RESPONSE_BYTES } = this.options;
    const self = { kind: 'service', name: signingKey.kid } as const;
    const traceparent = getTraceparent();
    const response = await this.pool.current.request({
      method,
      path,
      body,
      headers: {
        [PRINCIPAL_HEADER]: await this.issuer.issueToken(self, app),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await readBoundedBody(response.body, maxBytes)).toString('utf8');
    if (response.statusCode !== 200)
      throw new UnexpectedStatusError(
        response.statusCode,
        `${app} responded ${response.statusCode} to ${method} ${path}`,
        getRetryAfterSeconds(response.headers['retry-after']),
      );
    return schema.parse(JSON.parse(text));
  }
}

function getRetryAfterSeconds(header: string | string[] | undefined): number | undefined {
  const milliseconds = parseRetryAfter(header, Date.now());
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1_000);
}
