import { isTransientStatus, type SafeHttpClient } from '@app/http';
import {
  type Address,
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
} from 'viem';
import { z } from 'zod';

/** Gateways of one request (ERC-3668) that are asked, in the order of the contract that names them. */
const MAX_GATEWAY_URLS = 2;
/** Requests to gateways for one name, which may need one for each direction. */
const MAX_GATEWAY_REQUESTS = 4;
/** Requests of a batch: the Universal Resolver makes one for each record that it reads, which is one here. */
const MAX_BATCH_REQUESTS = MAX_GATEWAY_REQUESTS;
const GATEWAY_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 2_000 } as const;

const gatewayAnswer = z.object({ data: z.string().regex(/^0x(?:[0-9a-f]{2})*$/i) });

/** The interface between the Universal Resolver and its batch gateway (ENSIP-21). */
const batchGateway = parseAbi([
  'struct Request { address sender; string[] urls; bytes data; }',
  'function query(Request[] requests) view returns (bool[] failures, bytes[] responses)',
  'error Error(string message)',
]);
/** Names this process as the batch gateway of the Universal Resolver. */
export const BATCH_GATEWAY_URL = 'gatehouse:batch-gateway';

/** What gateways are asked by. */
export type GatewayHttp = Pick<SafeHttpClient, 'getText' | 'postText'>;

interface GatewayRequest {
  readonly data: Hex;
  readonly sender: Address;
  readonly urls: readonly string[];
}

/**
 * Asks the gateways that contracts name (CCIP-Read, ERC-3668), for one look-up of a name. Owners of names choose these URLs, so only https is
 * taken, and the client refuses private networks.
 */
export class GatewayReader {
  private requests = 0;
  /** Whether a gateway was asked in vain, so that a missing name is not certain. */
  hasFailed = false;

  constructor(
    private readonly http: GatewayHttp,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Answers the batch of the Universal Resolver, whose length is bounded by the reader of nodes. Gateways of the single requests answer or fail
   * for themselves. @throws Error for a batch of another gateway, or with too many requests
   */
  async requestBatch({ data, urls }: GatewayRequest): Promise<Hex> {
    if (!urls.includes(BATCH_GATEWAY_URL)) throw new Error('the resolver is not the Universal Resolver');
    const [requests] = decodeFunctionData({ abi: batchGateway, data }).args;
    if (requests.length > MAX_BATCH_REQUESTS) throw new Error('the name needs too many gateways');
    const answers = await Promise.all(requests.map((request) => this.request(request)));
    return encodeFunctionResult({
      abi: batchGateway,
      functionName: 'query',
      result: [answers.map(({ isFailure }) => isFailure), answers.map(({ response }) => response)],
    });
  }

  private async request({ data, sender, urls }: GatewayRequest) {
    try {
      const response = await this.requestFirst({ data, sender, urls: urls.slice(0, MAX_GATEWAY_URLS) });
      return { isFailure: false, response };
    } catch (error) {
      this.hasFailed = true;
      const args = [toError(error).message] as const;
      return {
        isFailure: true,
        response: encodeErrorResult({ abi: batchGateway, errorName: 'Error', args }),
      };
    }
  }

  private async requestFirst({ data, sender, urls }: GatewayRequest): Promise<Hex> {
    let failure = new Error('the contract names no gateway');
    for (const url of urls) {
      this.signal.throwIfAborted();
      if (!url.startsWith('https://')) failure = new Error('the gateway is not https');
      else {
        this.requests += 1;
        if (this.requests > MAX_GATEWAY_REQUESTS) throw new Error('the name needs too many gateways');
        const answer = await this.ask(url, data, sender).catch((error: unknown) => toError(error));
        if (typeof answer === 'string') return answer;
        failure = answer;
        // A refusal is the answer; the other gateways would give the same one.
        if (answer instanceof GatewayRefusal) break;
      }
    }
    throw failure;
  }

  private async ask(template: string, data: Hex, sender: Address): Promise<Hex> {
    const url = template.replaceAll('{sender}', sender.toLowerCase()).replaceAll('{data}', data);
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const { status, text } = template.includes('{data}')
      ? await this.http.getText(url, GATEWAY_LIMITS, { accept: headers.accept })
      : await this.http.postText(url, JSON.stringify({ data, sender }), headers, GATEWAY_LIMITS);
    if (status !== 200 && !isTransientStatus(status))
      throw new GatewayRefusal(`the gateway answered ${status}`);
    if (status !== 200) throw new Error(`the gateway answered ${status}`);
    return gatewayAnswer.parse(JSON.parse(text)).data as Hex;
  }
}

class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal';
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
