import { parseRetryAfter } from '@app/common';
import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { AddressPolicy, type Cidr } from './address-policy.js';
import { parseOutboundUrl } from './parse-outbound-url.js';
import { createCheckedConnector } from './create-checked-connector.js';
import { SafeHttpError } from './safe-http-error.js';
import { HostResolver } from './host-resolver.js';
import { postDiscardingBody, type PostResponse } from './post-discarding-body.js';
import { readBoundedBody } from './read-bounded-body.js';
import { toSafeHttpError } from './to-safe-http-error.js';

export interface SafeHttpClientOptions {
  /** Private networks that may be called, over http too; none. */
  readonly allowedCidrs?: readonly Cidr[];
  /** Milliseconds, the look-up included: 5,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds from the call to the last byte: 10,000. */
  readonly timeoutMs?: number;
  /** Of an answer to a POST no more is read: 64 KiB. */
  readonly maxResponseBytes?: number;
  /** Connections per scheme, host and port: 16. */
  readonly connections?: number;
  /** PEM certificates that are trusted instead of Node's own list. */
  readonly ca?: readonly string[];
  /** Name servers instead of the machine's own: `address` or `address:port`. */
  readonly dnsServers?: readonly string[];
}

export interface SafeHttpResponse {
  /** Any: redirects are answers too and are not followed. */
  readonly status: number;
  /** What `Retry-After` asks for; undefined when it does not. */
  readonly retryAfterMs: number | undefined;
}

export interface TextResponse extends SafeHttpResponse {
  /** The body, empty unless the status is 200. */
  readonly text: string;
}

export interface TextLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

interface RequestTarget {
  readonly origin: string;
  readonly path: string;
}

const USER_AGENT = 'Gatehouse';

/**
 * Calls URLs that strangers chose. A connection is made to an address that was checked, kept for its own scheme, host
 * and port, and bounded in time and bytes. Every method rejects with FetchFailure only.
 */
export class SafeHttpClient {
  private readonly rules: AddressPolicy;
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  private readonly maxAnswerBytes: number;
  /** What the text of a URL says does not change, and the same few are called again and again. */
  private readonly targets = new LRUCache<string, RequestTarget>({ max: 2_000 });

  constructor(options: SafeHttpClientOptions = {}) {
    this.rules = new AddressPolicy(options.allowedCidrs);
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.maxAnswerBytes = options.maxResponseBytes ?? 64 * 1024;
    this.agent = new Agent({
      connections: options.connections ?? 16,
      pipelining: 1,
      connect: createCheckedConnector({
        addressPolicy: this.rules,
        resolver: new HostResolver(options.dnsServers),
        connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
        ca: options.ca,
      }),
    });
  }

  /** What is wrong with a URL as far as its text tells; undefined when it may be tried. Costs no look-up. */
  findUrlProblem(url: string): string | undefined {
    const checked = parseOutboundUrl(url, this.rules);
    return typeof checked === 'string' ? checked : undefined;
  }

  /** The status decides: what becomes of the body after it changes nothing. */
  async post(
    url: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<SafeHttpResponse> {
    const { timeoutMs, maxAnswerBytes } = this;
    const request = { ...this.target(url), headers: { 'user-agent': USER_AGENT, ...headers }, body };
    try {
      return toSafeHttpResponse(
        await postDiscardingBody(this.agent, request, { timeoutMs, maxResponseBytes: maxAnswerBytes }),
      );
    } catch (error) {
      throw toSafeHttpError(error);
    }
  }

  /** The body of a 200 as UTF-8 text. */
  async getText(url: string, { maxBytes, timeoutMs }: TextLimits): Promise<TextResponse> {
    const headers = {
      'user-agent': USER_AGENT,
      accept: 'text/plain, */*;q=0.1',
      'accept-encoding': 'identity',
    };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const reply = await this.agent.request({ ...this.target(url), method: 'GET', headers, signal });
      const answer = toSafeHttpResponse({ status: reply.statusCode, headers: reply.headers });
      if (answer.status !== 200) {
        await reply.body.dump({ limit: this.maxAnswerBytes });
        return { ...answer, text: '' };
      }
      const encoding = reply.headers['content-encoding'] ?? 'identity';
      if (encoding !== 'identity') throw new SafeHttpError('bad_answer', 'the answer is compressed');
      return { ...answer, text: decodeUtf8(await readBoundedBody(reply.body, maxBytes)) };
    } catch (error) {
      throw toSafeHttpError(error, signal);
    }
  }

  /** Ends all connections at once; what is under way fails. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private target(url: string): RequestTarget {
    const known = this.targets.get(url);
    if (known) return known;
    const checked = parseOutboundUrl(url, this.rules);
    if (typeof checked === 'string') throw new SafeHttpError('blocked', `the URL ${checked}`);
    const target = { origin: checked.origin, path: checked.pathname + checked.search };
    this.targets.set(url, target);
    return target;
  }
}

const toSafeHttpResponse = ({ status, headers }: PostResponse): SafeHttpResponse => ({
  status,
  retryAfterMs: parseRetryAfter(headers['retry-after'], Date.now()),
});

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SafeHttpError('bad_answer', 'the answer is not UTF-8 text', { cause: error });
  }
}
