import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { SafeHttpError, toSafeHttpError } from './safe-http-error.js';
import { parseRetryAfter } from '@app/common';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { AddressPolicy, type Cidr } from './address-policy.js';
import { parseOutboundUrl } from './parse-outbound-url.js';
import { createCheckedConnector, HostResolver } from './checked-connector.js';
import { postDiscardingBody, type PostResponse } from './post-discarding-body.js';
import { Agent } from './reach-ins/undici.js';

type Decompress = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const gunzip: Decompress = promisify(zlib.gunzip);
const inflate: Decompress = promisify(zlib.inflate);
const inflateRaw: Decompress = promisify(zlib.inflateRaw);

/** Node knows zstd since 22.15. */
const { zstdDecompress } = zlib as { readonly zstdDecompress?: typeof zlib.gunzip };

/** Content codings of RFC 9110. Some servers send what they have stored, although a request accepts none. */
const DECOMPRESSORS: Readonly<Partial<Record<string, Decompress>>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: promisify(zlib.brotliDecompress),
  // Servers send deflate with and without the frame of zlib.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflate(bytes, options) : inflateRaw(bytes, options),
  ...(zstdDecompress && { zstd: promisify(zstdDecompress) }),
};

const findDecompressor = (coding: string): Decompress | undefined =>
  Object.hasOwn(DECOMPRESSORS, coding) ? DECOMPRESSORS[coding] : undefined;

/** Codings whose content cannot be read here; zstd before Node 22.15. */
const UNSUPPORTED: readonly string[] = ['zstd', 'compress', 'x-compress', 'dcb', 'dcz'];
/** Servers that compress what is compressed already name two. */
const MAX_CODINGS = 2;

/**
 * Names that are no coding, such as that of a charset, are ignored, as browsers do.
 * @param encoding the header `Content-Encoding`
 * @throws SafeHttpError `too_large` beyond `maxBytes`, and `bad_answer` for more than two codings, one that is not supported, or damaged content
 */
async function decompress(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const codings = encoding.split(',').map((name) => name.trim().toLowerCase());
  const decompressors = codings.flatMap((coding) => findDecompressor(coding) ?? []);
  const isSupported = codings.every(
    (coding) => findDecompressor(coding) !== undefined || !UNSUPPORTED.includes(coding),
  );
  if (!isSupported || decompressors.length > MAX_CODINGS)
    throw new SafeHttpError('bad_answer', 'the answer is compressed by a method that is not supported');
  try {
    let content = bytes;
    for (const decompressor of decompressors.reverse())
      content = await decompressor(content, { maxOutputLength: maxBytes });
    return content;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new SafeHttpError('too_large', `the answer is longer than ${maxBytes} bytes`, { cause: error });
    throw new SafeHttpError('bad_answer', 'the compressed answer is damaged', { cause: error });
  }
}

type Body = AsyncIterable<Uint8Array>;

/** @throws SafeHttpError `too_large` beyond `maxBytes`; the connection is closed then */
export async function readBoundedBody(body: Body, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SafeHttpError('too_large', `the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

export interface SafeHttpClientOptions {
  /** Private networks that may be called, over http too: none. */
  readonly allowedCidrs?: readonly Cidr[];
  /** Milliseconds, including the DNS lookup: 5,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds from the call to the last byte: 10,000. */
  readonly timeoutMs?: number;
  /** Bytes read of a response that is discarded: 64 KiB. */
  readonly maxResponseBytes?: number;
  /** Connections per scheme, host and port: 16. */
  readonly connections?: number;
  /** PEM certificates that are trusted instead of Node's default list. */
  readonly ca?: readonly string[];
  /** `address` or `address:port`: the name servers of the operating system. */
  readonly dnsServers?: readonly string[];
  /** Whether parsed URLs are kept, which speeds up those that recur. Not for URLs with secrets. Default: true. */
  readonly cachesUrls?: boolean;
}

export interface SafeHttpResponse {
  /** Any status; redirects are not followed. */
  readonly status: number;
  /** The wait that `Retry-After` demands; undefined without a valid header. */
  readonly retryAfterMs: number | undefined;
}

export interface StartResponse extends SafeHttpResponse {
  /** The first bytes of the body; empty for a compressed one. */
  readonly start: Buffer;
}

export interface TextResponse extends SafeHttpResponse {
  /** The server answered `X-RateLimit-Remaining: 0`: whatever the status is, it says nothing about the request. */
  readonly isRateLimited?: boolean;
  /** The body, empty unless the status is 200 or one of `bodyStatuses`. */
  readonly text: string;
}

export interface TextLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Statuses beside 200 whose body is read, too. A compressed one counts as empty. */
  readonly bodyStatuses?: readonly number[];
}

export interface BytesResponse extends SafeHttpResponse {
  readonly isRateLimited?: boolean;
  /** The body, empty unless the status is 200. */
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The header `Location` as it is, which the caller has to check. */
  readonly location: string | undefined;
}

interface RequestTarget {
  readonly origin: string;
  readonly path: string;
}

interface TextRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const USER_AGENT = 'Gatehouse';
const MAX_CACHED_URLS = 2_000;

/**
 * HTTP client for untrusted URLs (protection against SSRF). It connects only to checked addresses, reuses a connection only
 * for the same scheme, host and port, and bounds time and bytes. Methods reject only with SafeHttpError.
 */
export class SafeHttpClient {
  private readonly policy: AddressPolicy;
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  private readonly maxResponseBytes: number;
  /** Caches parsed URLs: the result depends only on the text, and the same URLs recur. */
  private readonly targets: LRUCache<string, RequestTarget> | undefined;

  constructor(options: SafeHttpClientOptions = {}) {
    this.policy = new AddressPolicy(options.allowedCidrs);
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.maxResponseBytes = options.maxResponseBytes ?? 64 * 1024;
    this.targets = options.cachesUrls === false ? undefined : new LRUCache({ max: MAX_CACHED_URLS });
    this.agent = new Agent({
      connections: options.connections ?? 16,
      pipelining: 1,
      connect: createCheckedConnector({
        addressPolicy: this.policy,
        resolver: new HostResolver(options.dnsServers),
        connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
        ca: options.ca,
      }),
    });
  }

  /** Why the text of a URL is rejected; undefined if it is acceptable. Without a DNS lookup, so a call may still be blocked. */
  findUrlProblem(url: string): string | undefined {
    const parsed = parseOutboundUrl(url, this.policy);
    return parsed.ok ? undefined : parsed.problem;
  }

  /** Resolves once there is a status, even if the response body then fails. */
  async post(
    url: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SafeHttpResponse> {
    return toSafeHttpResponse(await this.postBody(url, body, headers, 0));
  }

  /** Posts as `post` does, and keeps the first bytes of an answer with any status. */
  async postKeepingStart(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    keptBytes: number,
  ): Promise<StartResponse> {
    const accepted = { 'accept-encoding': 'identity', ...headers };
    const response = await this.postBody(url, body, accepted, keptBytes);
    const encoding = response.headers['content-encoding'] ?? 'identity';
    return {
      ...toSafeHttpResponse(response),
      start: encoding === 'identity' ? response.start : Buffer.alloc(0),
    };
  }

  private async postBody(
    url: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>>,
    keptBytes: number,
  ): Promise<PostResponse> {
    const { timeoutMs, maxResponseBytes } = this;
    const request = { ...this.getTarget(url), headers: { 'user-agent': USER_AGENT, ...headers }, body };
    try {
      return await postDiscardingBody(this.agent, request, { timeoutMs, maxResponseBytes, keptBytes });
    } catch (error) {
      throw toSafeHttpError(error);
    }
  }

  /** The body of a 200 as UTF-8 text. */
  getText(
    url: string,
    limits: TextLimits,
    headers: Readonly<Record<string, string>> = { accept: 'text/plain, */*;q=0.1' },
  ): Promise<TextResponse> {
    return this.requestText(url, { method: 'GET', headers }, limits);
  }

  /** Posts, and reads the body of a 200 as UTF-8 text. */
  postText(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    limits: TextLimits,
  ): Promise<TextResponse> {
    return this.requestText(url, { method: 'POST', headers, body }, limits);
  }

  /** The body of a 200. */
  getBytes(url: string, accept: string, limits: TextLimits): Promise<BytesResponse> {
    return this.requestBytes(url, { method: 'GET', headers: { accept } }, limits);
  }

  /** Closes all connections at once; pending requests fail. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async requestText(url: string, request: TextRequest, limits: TextLimits): Promise<TextResponse> {
    const {
      bytes,
      status,
      retryAfterMs,
      isRateLimited = false,
    } = await this.requestBytes(url, request, limits);
    return { status, retryAfterMs, isRateLimited, text: decodeUtf8(bytes) };
  }

  private async requestBytes(
    url: string,
    request: TextRequest,
    { maxBytes, timeoutMs, bodyStatuses = [] }: TextLimits,
  ): Promise<BytesResponse> {
    const headers = { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...request.headers };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.agent.request({ ...this.getTarget(url), ...request, headers, signal });
      const head = toBytesHead(response);
      const encoding = response.headers['content-encoding'] ?? 'identity';
      const isRead = bodyStatuses.includes(head.status) && encoding === 'identity';
      if (head.status !== 200 && !isRead) {
        await response.body.dump({ limit: this.maxResponseBytes });
        return { ...head, bytes: Buffer.alloc(0) };
      }
      const body = readBoundedBody(response.body, maxBytes);
      const bytes = await body.catch((error: unknown) => rethrowBodyError(error, signal));
      return { ...head, bytes: await decompress(bytes, [encoding].flat().join(), maxBytes) };
    } catch (error) {
      throw toSafeHttpError(error, signal);
    }
  }

  private getTarget(url: string): RequestTarget {
    const cached = this.targets?.get(url);
    if (cached) return cached;
    const parsed = parseOutboundUrl(url, this.policy);
    if (!parsed.ok) throw new SafeHttpError('blocked', `the URL ${parsed.problem}`);
    const { origin, pathname, search } = parsed.url;
    const target = { origin, path: pathname + search };
    this.targets?.set(url, target);
    return target;
  }
}

const toSafeHttpResponse = ({ status, headers }: Omit<PostResponse, 'start'>): SafeHttpResponse => ({
  status,
  retryAfterMs: parseRetryAfter(headers['retry-after'], Date.now()),
});

function toBytesHead({ statusCode, headers }: Dispatcher.ResponseData): Omit<BytesResponse, 'bytes'> {
  const getHeader = (name: string) => [headers[name]].flat()[0];
  return {
    ...toSafeHttpResponse({ status: statusCode, headers }),
    isRateLimited: getHeader('x-ratelimit-remaining') === '0',
    contentType: getHeader('content-type') ?? '',
    location: getHeader('location'),
  };
}

function rethrowBodyError(error: unknown, signal: AbortSignal): never {
  const failure = toSafeHttpError(error, signal);
  if (failure.kind !== 'connection') throw failure;
  throw new SafeHttpError('interrupted', failure.message, { cause: error });
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SafeHttpError('bad_answer', 'the answer is not UTF-8 text', { cause: error });
  }
}
