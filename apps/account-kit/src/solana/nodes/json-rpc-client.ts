import { formatErrorReason, inSpan } from '@app/common';
import { readBoundedBody } from '@app/http';
import type { Agent } from 'undici';
import { z } from 'zod';

/** A transaction has at most some hundred kilobytes of logs and inner instructions. */
const MAX_RESPONSE_BYTES = 4_000_000;

const responseSchema = z.object({
  result: z.unknown(),
  error: z.object({ code: z.number(), message: z.string() }).nullish(),
});

/** The node answered that the request is wrong: other nodes would, too. */
export class SolanaRequestError extends Error {
  override readonly name = 'SolanaRequestError';
}

/** The node did not answer, or not as a node should: another one may. Its message has no URL, which may hold a key. */
export class SolanaNodeError extends Error {
  override readonly name = 'SolanaNodeError';
}

/** Invalid parameters, failed preflight, wrong signature: https://solana.com/docs/rpc */
const REQUEST_ERROR_CODES: readonly number[] = [-32_602, -32_002, -32_003];

/** One node of a Solana cluster. */
export class JsonRpcClient {
  constructor(
    private readonly url: URL,
    private readonly agent: Agent,
    /** Of a request, to the last byte of the response. */
    private readonly timeoutMs: number,
  ) {}

  /** @throws SolanaNodeError, SolanaRequestError */
  async call<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T> {
    const { error, result: value } = await this.post(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    );
    if (error && REQUEST_ERROR_CODES.includes(error.code)) throw new SolanaRequestError(error.message);
    if (error) throw new SolanaNodeError(`${method}: the node answered the error ${error.code}`);
    const parsed = result.safeParse(value);
    if (!parsed.success) throw new SolanaNodeError(`${method}: the node answered in an unknown form`);
    return parsed.data;
  }

  private async post(body: string): Promise<z.infer<typeof responseSchema>> {
    try {
      return await inSpan({ name: 'node request', kind: 'CLIENT' }, () => this.request(body));
    } catch (error) {
      if (error instanceof SolanaNodeError) throw error;
      throw new SolanaNodeError(`the node did not answer: ${formatErrorReason(error)}`, { cause: error });
    }
  }

  private async request(body: string): Promise<z.infer<typeof responseSchema>> {
    const { origin, pathname, search } = this.url;
    const response = await this.agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(this.timeoutMs),
    });
    const text = (await readBoundedBody(response.body, MAX_RESPONSE_BYTES)).toString();
    if (response.statusCode !== 200)
      throw new SolanaNodeError(`the node answered with the status ${response.statusCode}`);
    return responseSchema.parse(JSON.parse(text));
  }
}
