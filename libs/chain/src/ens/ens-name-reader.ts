import type { EvmAddress } from '@app/dto';
import { BaseError, type Client, createClient, custom, toHex } from 'viem';
import { getEnsAddress, getEnsName, normalize } from 'viem/ens';
import { createNodeTransports, type NodeTransports } from '../node/evm/create-node-transports.js';
import { BATCH_GATEWAY_URL, type GatewayHttp, GatewayReader } from './gateway-reader.js';

/** The Universal Resolver of ENS on chain 1, which the ENS DAO keeps at this address. */
const UNIVERSAL_RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';
/**
 * Characters of a result or of revert data, 16 KiB: names and requests of CCIP-Read take some hundred bytes. In ABI data many offsets may lead
 * to one long value, which decoding copies for each: 53 KB blocked the process for 9 s.
 */
const MAX_ANSWER_LENGTH = 2 + 2 * 16 * 1024;
/**
 * The URL of viem's own batch gateway, which takes batches in batches. Strangers' resolvers write the inner ones, and each level multiplies the
 * work, so it is not used, also where a node says so.
 */
const VIEM_BATCH_GATEWAY = toHex('x-batch-gateway:true').slice(2);
/** A name takes two calls, and one more for each answer of a gateway. A resolver may want gateways without end. */
const MAX_NODE_CALLS = 8;
/**
 * The most characters of a shown name: as many as the name that users give themselves. Longer names are not shown:
 * nobody can read them.
 */
const MAX_NAME_CODE_POINTS = 64;

export interface EnsNameReaderOptions {
  /** Nodes of the chain of ENS; the next one is asked where one fails. */
  readonly nodeUrls: readonly string[];
  /** The client for gateways, which owners of names choose. */
  readonly http: GatewayHttp;
  readonly universalResolver?: EvmAddress;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** Reads primary names of accounts from ENS. */
export class EnsNameReader {
  private readonly transports: NodeTransports;
  private readonly nodes: Pick<Client, 'request'>;
  private readonly universalResolver: EvmAddress;

  constructor(private readonly options: EnsNameReaderOptions) {
    const { connectTimeoutMs, requestTimeoutMs, nodeUrls } = options;
    this.transports = createNodeTransports({ connectTimeoutMs, requestTimeoutMs });
    this.nodes = this.transports.createClient(nodeUrls);
    this.universalResolver = options.universalResolver ?? UNIVERSAL_RESOLVER;
  }

  /**
   * The name that the account gives itself, if that name belongs to the account and stands in its normal form (ENSIP-15), which excludes most
   * look-alikes. It has a dot, so it is never equal to a username.
   * @param signal stops the look-up before its next request
   * @returns undefined without such a name. @throws Error if a node or a gateway does not answer
   */
  async readName(address: EvmAddress, signal: AbortSignal): Promise<string | undefined> {
    const gateways = new GatewayReader(this.options.http, signal);
    const client = this.createBoundedClient(gateways, signal);
    const { universalResolver: universalResolverAddress } = this;
    const gatewayUrls = [BATCH_GATEWAY_URL];
    const name = await getEnsName(client, { address, universalResolverAddress, gatewayUrls });
    if (name !== null && !isShownName(name)) return undefined;
    const owner =
      name === null ? null : await getEnsAddress(client, { name, universalResolverAddress, gatewayUrls });
    if (name !== null && owner?.toLowerCase() === address.toLowerCase()) return name;
    if (gateways.hasFailed) throw new Error('a gateway of the name did not answer');
    return undefined;
  }

  /**
   * The address that the holder of a name has given it.
   * @param name in its normal form @param signal stops the look-up before its next request
   * @returns undefined for a name without one. @throws Error if a node or a gateway does not answer
   */
  async readAddress(name: string, signal: AbortSignal): Promise<EvmAddress | undefined> {
    const gateways = new GatewayReader(this.options.http, signal);
    const client = this.createBoundedClient(gateways, signal);
    const { universalResolver: universalResolverAddress } = this;
    const gatewayUrls = [BATCH_GATEWAY_URL];
    const address = await getEnsAddress(client, { name, universalResolverAddress, gatewayUrls });
    if (address === null && gateways.hasFailed) throw new Error('a gateway of the name did not answer');
    return address ?? undefined;
  }

  async close(): Promise<void> {
    await this.transports.close();
  }

  private createBoundedClient(gateways: GatewayReader, signal: AbortSignal): Client {
    let calls = 0;
    const request: Client['request'] = (async (call: Parameters<Client['request']>[0]) => {
      signal.throwIfAborted();
      calls += 1;
      if (calls > MAX_NODE_CALLS) throw new Error('the name needs too many calls');
      const answer: unknown = await this.nodes.request(call).catch((error: unknown) => {
        const data = toText(getRevertData(error));
        if (data.length > MAX_ANSWER_LENGTH) throw new Error('the revert data is too long');
        if (data.includes(VIEM_BATCH_GATEWAY)) throw new Error('the revert data has a batch in a batch');
        throw error;
      });
      if (toText(answer).length > MAX_ANSWER_LENGTH) throw new Error('the result is too long');
      return answer;
    }) as Client['request'];
    return createClient({
      transport: custom({ request }, { retryCount: 0 }),
      ccipRead: { request: (batch) => gateways.requestBatch(batch) },
    });
  }
}

/** What a node answered beside an error, which viem wraps. */
function getRevertData(error: unknown): unknown {
  const cause = error instanceof BaseError ? error.walk() : error;
  return typeof cause === 'object' && cause !== null && 'data' in cause ? cause.data : undefined;
}

const toText = (data: unknown): string =>
  (typeof data === 'string' ? data : JSON.stringify(data ?? '')).toLowerCase();

/** The longest name that is looked up, as in DNS. */
const MAX_TYPED_NAME_LENGTH = 255;

/**
 * The normal form of a name that somebody typed (ENSIP-15), which has no mixed scripts and no invisible characters.
 * @returns undefined for what has none
 */
export function normaliseEnsName(text: string): string | undefined {
  if (!text.includes('.') || text.length > MAX_TYPED_NAME_LENGTH) return undefined;
  try {
    return normalize(text);
  } catch {
    return undefined;
  }
}

/** Whether a name is short enough, has a dot, and is equal to its normal form. */
function isShownName(name: string): boolean {
  return Array.from(name).length <= MAX_NAME_CODE_POINTS && normaliseEnsName(name) === name;
}
