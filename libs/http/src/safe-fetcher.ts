import { Agent, type Dispatcher } from 'undici';
import { AddressRules, type Cidr } from './address-rules.js';
import { checkUrl } from './check-url.js';
import { checkedConnector } from './checked-connector.js';
import { FetchFailure } from './fetch-failure.js';
import { HostResolver } from './host-resolver.js';
import { readBounded } from './read-body.js';
import { readRetryAfter } from './retry-after.js';
import { toFetchFailure } from './to-fetch-failure.js';

export interface SafeFetcherOptions {
  /** Private networks that may be called, over http too; none. */
  readonly allow?: readonly Cidr[];
  /** Milliseconds, the look-up included: 5,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds from the call to the last byte: 10,000. */
  readonly timeoutMs?: number;
  /** Of an answer to a POST no more is read: 64 KiB. */
  readonly maxAnswerBytes?: number;
  /** Connections per scheme, host and port: 16. */
  readonly connections?: number;
  /** PEM certificates that are trusted instead of Node's own list. */
  readonly ca?: readonly string[];
  /** Name servers instead of the machine's own: `address` or `address:port`. */
  readonly dnsServers?: readonly string[];
}

export interface Answer {
  /** Any: redirects are answers too and are not followed. */
  readonly status: number;
  /** What `Retry-After` asks for; undefined when it does not. */
  readonly retryAfterMs: number | undefined;
}

export interface TextAnswer extends Answer {
  /** The body, empty unless the status is 200. */
  readonly text: string;
}

export interface TextLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs: number;
}

const USER_AGENT = 'Gatehouse';

/**
 * Calls URLs that strangers chose. A connection is made to an address that was checked, kept for its own scheme, host
 * and port, and bounded in time and bytes. Every method rejects with FetchFailure only.
 */
export class SafeFetcher {
  private readonly rules: AddressRules;
  private readonly agent: Agent;
  private readonly timeoutMs: number;
  private readonly maxAnswerBytes: number;

  constructor(options: SafeFetcherOptions = {}) {
    this.rules = new AddressRules(options.allow);
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.maxAnswerBytes = options.maxAnswerBytes ?? 64 * 1024;
    this.agent = new Agent({
      connections: options.connections ?? 16,
      pipelining: 1,
      connect: checkedConnector({
        rules: this.rules,
        resolver: new HostResolver(options.dnsServers),
        connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
        ca: options.ca,
      }),
    });
  }

  /** What is wrong with a URL as far as its text tells; undefined when it may be tried. Costs no look-up. */
  refusalOf(url: string): string | undefined {
    const checked = checkUrl(url, this.rules);
    return typeof checked === 'string' ? checked : undefined;
  }

  /** The status decides: what becomes of the body after it changes nothing. */
  async post(
    url: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const question = { method: 'POST', headers, body, timeoutMs: this.timeoutMs } as const;
    return this.ask(url, question, async (answer, facts) => {
      await answer.body.dump({ limit: this.maxAnswerBytes });
      return facts;
    });
  }

  /** The body of a 200 as UTF-8 text. */
  async getText(url: string, { maxBytes, timeoutMs }: TextLimits): Promise<TextAnswer> {
    const headers = { accept: 'text/plain, */*;q=0.1', 'accept-encoding': 'identity' };
    return this.ask(url, { method: 'GET', headers, timeoutMs }, async (answer, facts) => {
      if (facts.status !== 200) {
        await answer.body.dump({ limit: this.maxAnswerBytes });
        return { ...facts, text: '' };
      }
      const encoding = answer.headers['content-encoding'] ?? 'identity';
      if (encoding !== 'identity') throw new FetchFailure('bad_answer', 'the answer is compressed');
      return { ...facts, text: decode(await readBounded(answer.body, maxBytes)) };
    });
  }

  /** Ends all connections at once; what is under way fails. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask<T>(
    url: string,
    { timeoutMs, headers, ...question }: Question,
    read: (answer: Dispatcher.ResponseData, facts: Answer) => Promise<T>,
  ): Promise<T> {
    const checked = checkUrl(url, this.rules);
    if (typeof checked === 'string') throw new FetchFailure('blocked', `the URL ${checked}`);
    // Not AbortSignal.timeout(), whose timers go on long after the answer is there.
    const deadline = new AbortController();
    const { signal } = deadline;
    const timer = setTimeout(() => {
      deadline.abort();
    }, timeoutMs);
    try {
      const answer = await this.agent.request({
        origin: checked.origin,
        path: checked.pathname + checked.search,
        headers: { 'user-agent': USER_AGENT, ...headers },
        ...question,
        signal,
      });
      const retryAfterMs = readRetryAfter(answer.headers['retry-after'], Date.now());
      return await read(answer, { status: answer.statusCode, retryAfterMs });
    } catch (error) {
      throw toFetchFailure(error, signal);
    } finally {
      clearTimeout(timer);
    }
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new FetchFailure('bad_answer', 'the answer is not UTF-8 text', { cause: error });
  }
}
