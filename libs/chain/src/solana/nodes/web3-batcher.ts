import type { Connection, PublicKey } from '@solana/web3.js';

/** A Connection wants one; requests go where `send` sends them. */
const NO_ENDPOINT = 'http://localhost';

/** One JSON text per request, and one for the response to each. */
export type SendRequests = (requests: readonly string[]) => Promise<readonly string[]>;

interface PendingRequest {
  readonly body: string;
  readonly respond: (response: Response) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Lets `@solana/web3.js` write JSON-RPC requests and parse their responses, while this library sends them together, to
 * nodes of its choice and within its bounds.
 */
export class Web3Batcher {
  private pending: PendingRequest[] = [];
  private readonly connection: Connection;

  private constructor(private readonly web3: typeof import('@solana/web3.js')) {
    // web3.js sends each request as JSON text.
    const enqueue: typeof fetch = (_url, init) => this.enqueue(init?.body as string);
    this.connection = new web3.Connection(NO_ENDPOINT, {
      commitment: 'confirmed',
      fetch: enqueue,
      disableRetryOnRateLimit: true,
    });
  }

  /** Loads web3.js, which apps that read no Solana cluster never do. */
  static async create(): Promise<Web3Batcher> {
    return new Web3Batcher(await import('@solana/web3.js'));
  }

  /** @throws Error if the text is not an address */
  toPublicKey(address: string): PublicKey {
    return new this.web3.PublicKey(address);
  }

  /** @param issue starts all requests of the batch synchronously @returns what `issue` returned */
  async send<T>(issue: (connection: Connection) => Promise<T>, send: SendRequests): Promise<T> {
    const result = issue(this.connection);
    // It is awaited below; an earlier rejection must not be an unhandled one.
    result.catch(() => undefined);
    const requests = this.pending;
    this.pending = [];
    try {
      const responses = await send(requests.map(({ body }) => body));
      requests.forEach(({ respond }, index) => {
        respond(new Response(responses[index]));
      });
    } catch (error) {
      for (const { fail } of requests) fail(error);
    }
    return result;
  }

  private enqueue(body: string): Promise<Response> {
    return new Promise((respond, fail) => {
      this.pending.push({ body, respond, fail });
    });
  }
}
