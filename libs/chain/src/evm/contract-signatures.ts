import { personalMessageHash } from '../sign-in/personal-message-hash.js';
import { chainCalls, type ChainCallsOptions } from './chain-calls.js';
import { type ChainInfo, type ChainRegistry } from './chain-registry.js';
import { type CallOptions, type ChainCalls } from './contract-calls.js';
import { isValidSignatureData, saysItIsValid } from './erc1271.js';
import { isWrapped, validationCode, verdictOf } from './erc6492.js';
import { lowerAddress } from './hex.js';
import { JsonRpc } from './json-rpc.js';
import { isContractsDoing, isTooLong, NodeFailure } from './node-failure.js';
import { NodesUnavailable } from './nodes-unavailable.js';
import { waitAtMost } from './wait-at-most.js';

export interface ContractSignaturesOptions extends Pick<
  ChainCallsOptions,
  'maxLagBlocks' | 'onNodeCall' | 'onNodeState'
> {
  readonly chains: ChainRegistry;
  /** Milliseconds for one signature: 10,000. */
  readonly budgetMs?: number;
  /** Milliseconds: 2,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for one HTTP request: 4,000. */
  readonly requestTimeoutMs?: number;
}

export interface SignedByContract {
  /** Where the account is, or is going to be. */
  readonly chainId: number;
  /** An address in any case. */
  readonly account: string;
  /** As it was given to the wallet: EIP-191 is applied to it. */
  readonly message: string;
  /** 0x and hex digits. */
  readonly signature: string;
}

/** Wallets of many owners and those that bring their own factory along stay far below. */
const mostDigits = 2 * 8_192;
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})*$/;
/** Yes or no in one word, however much more a contract says. */
const maxResponseBytes = 1024 * 1024;
const connections = 32;

/** Asks contract accounts whether a signature is theirs: ERC-1271, and ERC-6492 for those that are not deployed yet. */
export class ContractSignatures {
  private readonly rpc: JsonRpc;
  private readonly calls = new Map<number, ChainCalls>();

  constructor(private readonly options: ContractSignaturesOptions) {
    const { connectTimeoutMs = 2_000, requestTimeoutMs = 4_000 } = options;
    this.rpc = new JsonRpc({ connectTimeoutMs, requestTimeoutMs, maxResponseBytes, connections });
  }

  /** Whether there is a node of that chain at all: without one the question stays open for as long as we run. */
  canAsk(chainId: number): boolean {
    return (this.options.chains.find(chainId)?.rpcUrls.length ?? 0) > 0;
  }

  /**
   * False for what the contract does not confirm, whatever it does instead: revert, burn its gas, loop or answer something
   * else; and where there is no contract, for a plain key's signature is not asked about here. Throws NodesUnavailable when
   * no node of the chain could be asked, or none would carry the question out.
   */
  async isSignedBy({ chainId, account, message, signature }: SignedByContract): Promise<boolean> {
    const chain = this.options.chains.find(chainId);
    if (!chain) throw new NodesUnavailable('unknown_chain', `chain ${chainId} is not known`);
    if (!SIGNATURE.test(signature) || signature.length - 2 > mostDigits) return false;
    const hash = Buffer.from(personalMessageHash(message)).toString('hex');
    const ask = askAbout(lowerAddress(account), hash, signature.slice(2));
    const stop = new AbortController();
    let verdict: boolean | undefined;
    try {
      const work = judge(this.callsOf(chain), ask, stop.signal).then((answer) => (verdict = answer));
      await waitAtMost(this.options.budgetMs ?? 10_000, work);
    } finally {
      stop.abort();
    }
    if (verdict === undefined) throw new NodesUnavailable('timeout', `${chain.name} did not answer in time`);
    return verdict;
  }

  /** Ends connections and what is under way. */
  async close(): Promise<void> {
    await this.rpc.close();
  }

  private callsOf(chain: ChainInfo): ChainCalls {
    let calls = this.calls.get(chain.id);
    if (!calls) this.calls.set(chain.id, (calls = chainCalls(chain, this.rpc, this.options)));
    return calls;
  }
}

type Ask = (calls: ChainCalls, signal: AbortSignal, options: CallOptions) => Promise<boolean>;

function askAbout(account: `0x${string}`, hash: string, signature: string): Ask {
  if (isWrapped(signature)) {
    const code = validationCode(account, hash, signature);
    return async (calls, signal, options) => verdictOf(await calls.construct(code, signal, options));
  }
  const read = { to: account, data: isValidSignatureData(hash, signature) };
  return async (calls, signal, options) => saysItIsValid(await calls.direct(read, signal, options));
}

/** A question that got lost on its way looks like one that takes too long: it is asked once more. */
async function judge(calls: ChainCalls, ask: Ask, signal: AbortSignal): Promise<boolean> {
  try {
    return await ask(calls, signal, {}).catch((error: unknown) => {
      if (error instanceof NodeFailure && isTooLong(error)) return ask(calls, signal, { brisk: true });
      throw error;
    });
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    // This is what the contract did. One that a node which lives has worked on in vain, twice, confirms nothing either.
    if (isContractsDoing(error) || isTooLong(error)) return false;
    throw new NodesUnavailable('unavailable', error.message, { cause: error });
  }
}
