import { AppError, getTraceparent, inSpan, parseRetryAfter } from '@app/common';
import { type InternalSigningKey, type Principal, PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { errorEnvelope } from '@app/dto';
import { readBoundedBody, RenewingPool } from '@app/http';
import type { z } from 'zod';

const CONNECT_TIMEOUT_MS = 1_000;
/** How long an app waits for another one, unless a call says otherwise. */
export const INTERNAL_TIMEOUT_MS = 2_000;
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

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface AppRequest {
  readonly method: Method;
  readonly path: string;
  readonly principal: Principal;
  /** The id of a public operation; absent for `/internal/*`. */
  readonly operation?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** Default: the one of the options. */
  readonly timeoutMs?: number;
}

interface AppResponse {
  readonly status: number;
  readonly text: string;
  /** The wait that the Retry-After header demands, in seconds. */
  readonly retryAfter: number | undefined;
}

/** Sends requests to another app, each with a principal token (docs/adr/0003-principal-tokens-and-header-allow-list.md). */
class AppConnection {
  private readonly issuer: PrincipalIssuer;
  private readonly pool: RenewingPool;

  constructor(private readonly options: InternalClientOptions) {
    this.issuer = new PrincipalIssuer(options.signingKey);
    this.pool = new RenewingPool(options.origin, {
      connections: options.connections ?? 4,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }

  /** Sends a request in a span, which does not name the path, because it may hold ids. Rejects on timeout. */
  send(request: AppRequest): Promise<AppResponse> {
    return inSpan({ name: `call ${this.options.app}`, kind: 'CLIENT' }, () => this.request(request));
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async request({
    method,
    path,
    principal,
    operation,
    headers,
    body,
    timeoutMs = this.options.timeoutMs ?? INTERNAL_TIMEOUT_MS,
  }: AppRequest): Promise<AppResponse> {
    const { app, maxBytes = MAX_RESPONSE_BYTES } = this.options;
    const traceparent = getTraceparent();
    const response = await this.pool.current.request({
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...headers,
        [PRINCIPAL_HEADER]: await this.issuer.issueToken(principal, app, operation),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await readBoundedBody(response.body, maxBytes)).toString('utf8');
    const retryAfter = getRetryAfterSeconds(response.headers['retry-after']);
    return { status: response.statusCode, text, retryAfter };
  }
}

/** Calls `/internal/*` of another app, authenticated as this app. */
export class InternalClient {
  private readonly connection: AppConnection;
  private readonly self: Principal;

  constructor(private readonly options: InternalClientOptions) {
    this.connection = new AppConnection(options);
    this.self = { kind: 'service', name: options.signingKey.kid };
  }

  /** Rejects on timeout, on another status than 200, or when the response does not match the schema. */
  get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.call('GET', path, schema);
  }

  /** Rejects as `get` does. */
  post<S extends z.ZodType>(path: string, body: object, schema: S): Promise<z.output<S>> {
    return this.call('POST', path, schema, body);
  }

  /**
   * As `post` for what a person has asked for. @throws AppError as the other app answered it
   * @param timeoutMs default: the one of the options
   */
  async ask<S extends z.ZodType>(
    path: string,
    body: object,
    schema: S,
    timeoutMs?: number,
  ): Promise<z.output<S>> {
    const timeout = timeoutMs === undefined ? {} : { timeoutMs };
    const request = { method: 'POST', path, principal: this.self, body, ...timeout } as const;
    return schema.parse(toJson(await this.connection.send(request), `${this.options.app} to POST ${path}`));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async call<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: object,
  ): Promise<z.output<S>> {
    const { app } = this.options;
    const response = await this.connection.send({ method, path, principal: this.self, body });
    const { status, text, retryAfter } = response;
    if (status !== 200)
      throw new UnexpectedStatusError(status, `${app} responded ${status} to ${method} ${path}`, retryAfter);
    return schema.parse(JSON.parse(text));
  }
}

export interface OperationRequest {
  /** The operation id of the OpenAPI document. */
  readonly operation: string;
  readonly method: Method;
  /** With its parameters and its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  readonly timeoutMs?: number;
}

/** Calls public operations of another app in the right of a user (docs/adr/0114-pages-call-public-operations.md). */
export class OperationClient {
  private readonly connection: AppConnection;

  constructor(private readonly options: InternalClientOptions) {
    this.connection = new AppConnection(options);
  }

  /**
   * @returns the JSON of the response; undefined for an empty one
   * @throws AppError as the operation answered it. Rejects with other errors on timeout and on a response that is not one of ours
   */
  async call(principal: Principal, request: OperationRequest): Promise<unknown> {
    const response = await this.connection.send({ ...request, principal });
    return toJson(response, `${this.options.app} to ${request.operation}`);
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/**
 * @param asked names app and request. @returns the JSON of a response; undefined for an empty one
 * @throws AppError as the app answered it
 */
function toJson({ status, text, retryAfter }: AppResponse, asked: string): unknown {
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  if (status >= 200 && status < 300) return json;
  const envelope = errorEnvelope.safeParse(json);
  if (!envelope.success) throw new UnexpectedStatusError(status, `answer ${status} of ${asked}`, retryAfter);
  const { name, statusCode, message, details } = envelope.data.error;
  throw new AppError(name, statusCode, message, details);
}

function getRetryAfterSeconds(header: string | string[] | undefined): number | undefined {
  const milliseconds = parseRetryAfter(header, Date.now());
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1_000);
}
