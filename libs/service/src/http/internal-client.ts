import { parseRetryAfter } from '@app/common';
import { type InternalSigningKey, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { readBoundedBody } from '@app/http';
import { Pool } from 'undici';
import type { z } from 'zod';

const CONNECT_TIMEOUT_MS = 1_000;
const DEFAULT_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface InternalClientOptions {
  /** Whose questions they are; its key is named after the app that asks. */
  signingKey: InternalSigningKey;
  /** The app that is asked. */
  app: string;
  /** Where it listens. */
  origin: string;
  connections?: number;
  /** For a whole answer: 2,000. */
  timeoutMs?: number;
  /** What is read of an answer: 1 MiB. */
  maxBytes?: number;
}

/** An app answered, and not with 200. */
export class UnexpectedStatusError extends Error {
  override readonly name = 'UnexpectedStatusError';

  constructor(
    readonly status: number,
    message: string,
    /** Seconds, where it said so. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** One app's questions to another, at `/internal/*`, in its own name (design.md section 2). */
export class InternalClient {
  private readonly issuer: PrincipalIssuer;
  private readonly pool: Pool;

  constructor(private readonly options: InternalClientOptions) {
    this.issuer = new PrincipalIssuer(options.signingKey);
    this.pool = new Pool(options.origin, {
      connections: options.connections ?? 4,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }

  /** Rejects when there is no answer in time and in form. */
  get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.ask('GET', path, schema);
  }

  /** Rejects when there is no answer in time and in form. */
  post<S extends z.ZodType>(path: string, question: object, schema: S): Promise<z.output<S>> {
    return this.ask('POST', path, schema, JSON.stringify(question));
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async ask<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: string,
  ): Promise<z.output<S>> {
    const { app, signingKey, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = MAX_RESPONSE_BYTES } = this.options;
    const self = { kind: 'service', name: signingKey.kid } as const;
    const response = await this.pool.request({
      method,
      path,
      body,
      headers: {
        [PRINCIPAL_HEADER]: await this.issuer.issueToken(self, app),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await readBoundedBody(response.body, maxBytes)).toString('utf8');
    if (response.statusCode !== 200)
      throw new UnexpectedStatusError(
        response.statusCode,
        `${app} answered ${response.statusCode} to ${method} ${path}`,
        getRetryAfterSeconds(response.headers['retry-after']),
      );
    return schema.parse(JSON.parse(text));
  }
}

function getRetryAfterSeconds(header: string | string[] | undefined): number | undefined {
  const milliseconds = parseRetryAfter(header, Date.now());
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1_000);
}
