import { isTransientStatus, type SafeHttpClient } from '@app/http';
import type { Address, Hex } from 'viem';
import { z } from 'zod';

/** Gateways of one request (ERC-3668) that are asked, in the order of the contract that names them. */
const MAX_GATEWAY_URLS = 2;
/** Requests to gateways for one name, which may need one for each direction. */
const MAX_GATEWAY_REQUESTS = 4;
const GATEWAY_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 2_000 } as const;

const gatewayAnswer = z.object({ data: z.string().regex(/^0x(?:[0-9a-f]{2})*$/i) });

export interface GatewayRequest {
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
    private readonly http: Pick<SafeHttpClient, 'getText' | 'postText'>,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws Error when no gateway answers as ERC-3668 demands */
  async request({ data, sender, urls }: GatewayRequest): Promise<Hex> {
    try {
      return await this.requestFirst({ data, sender, urls: urls.slice(0, MAX_GATEWAY_URLS) });
    } catch (error) {
      this.hasFailed = true;
      throw error;
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
