import { hasFinishedWithin } from '@app/common';
import { hashPersonalMessage } from '../../sign-in/hash-personal-message.js';
import { createEthCallClient, type EthCallClientOptions } from '../nodes/create-eth-call-client.js';
import { type ChainInfo, type ChainRegistry } from '../chains/chain-registry.js';
import { type EthCallOptions, type EthCallClient } from '../nodes/eth-call-client.js';
import {
  encodeIsValidSignature,
  isErc1271MagicValue,
  isErc6492Signature,
  encodeErc6492Validation,
  decodeErc6492Result,
} from './contract-signature-codec.js';
import { toLowerCaseAddress } from '../codec/abi-encode.js';
import { JsonRpcClient } from '../nodes/json-rpc-client.js';
import { isContractError, isExecutionTimeout, RpcNodeError } from '../../shared/rpc-node-error.js';

export type NodesUnavailableErrorCode = 'unknown_chain' | 'unavailable' | 'timeout';

/** Nothing is known, because no node could be asked: neither yes nor no. The message names no RPC URL. */
export class NodesUnavailableError extends Error {
  override readonly name = 'NodesUnavailableError';

  constructor(
    readonly code: NodesUnavailableErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ContractSignatureVerifierOptions extends Pick<
  EthCallClientOptions,
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

export interface ContractSignatureClaim {
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
const MAX_SIGNATURE_DIGITS = 2 * 8_192;
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})*$/;
/** Yes or no in one word, however much more a contract says. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const CONNECTIONS_PER_NODE = 32;

/** Asks contract accounts whether a signature is theirs: ERC-1271, and ERC-6492 for those that are not deployed yet. */
export class ContractSignatureVerifier {
  private readonly rpc: JsonRpcClient;
  private readonly calls = new Map<number, EthCallClient>();

  constructor(private readonly options: ContractSignatureVerifierOptions) {
    const { connectTimeoutMs = 2_000, requestTimeoutMs = 4_000 } = options;
    this.rpc = new JsonRpcClient({
      connectTimeoutMs,
      requestTimeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      connections: CONNECTIONS_PER_NODE,
    });
  }

  /** Whether there is a node of that chain at all: without one the question stays open for as long as we run. */
  hasNodes(chainId: number): boolean {
    return (this.options.chains.find(chainId)?.rpcUrls.length ?? 0) > 0;
  }

  /**
   * False for what the contract does not confirm, whatever it does instead: revert, burn its gas, loop or answer something
   * else; and where there is no contract, for a plain key's signature is not asked about here. Throws NodesUnavailable when
   * no node of the chain could be asked, or none would carry the question out.
   */
  async isValidSignature({ chainId, account, message, signature }: ContractSignatureClaim): Promise<boolean> {
    const chain = this.options.chains.find(chainId);
    if (!chain) throw new NodesUnavailableError('unknown_chain', `chain ${chainId} is not known`);
    if (!SIGNATURE.test(signature) || signature.length - 2 > MAX_SIGNATURE_DIGITS) return false;
    const hash = Buffer.from(hashPersonalMessage(message)).toString('hex');
    const ask = createValidationCall(toLowerCaseAddress(account), hash, signature.slice(2));
    const stop = new AbortController();
    let verdict: boolean | undefined;
    try {
      const work = querySignatureValidity(this.callsOf(chain), ask, stop.signal).then(
        (answer) => (verdict = answer),
      );
      await hasFinishedWithin(this.options.budgetMs ?? 10_000, work);
    } finally {
      stop.abort();
    }
    if (verdict === undefined)
      throw new NodesUnavailableError('timeout', `${chain.name} did not answer in time`);
    return verdict;
  }

  /** Ends connections and what is under way. */
  async close(): Promise<void> {
    await this.rpc.close();
  }

  private callsOf(chain: ChainInfo): EthCallClient {
    let calls = this.calls.get(chain.id);
    if (!calls) this.calls.set(chain.id, (calls = createEthCallClient(chain, this.rpc, this.options)));
    return calls;
  }
}

type ValidationCall = (
  calls: EthCallClient,
  signal: AbortSignal,
  options: EthCallOptions,
) => Promise<boolean>;

function createValidationCall(account: `0x${string}`, hash: string, signature: string): ValidationCall {
  if (isErc6492Signature(signature)) {
    const code = encodeErc6492Validation(account, hash, signature);
    return async (calls, signal, options) =>
      decodeErc6492Result(await calls.runInitCode(code, signal, options));
  }
  const read = { to: account, data: encodeIsValidSignature(hash, signature) };
  return async (calls, signal, options) => isErc1271MagicValue(await calls.call(read, signal, options));
}

/** A question that got lost on its way looks like one that takes too long: it is asked once more. */
async function querySignatureValidity(
  calls: EthCallClient,
  ask: ValidationCall,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await ask(calls, signal, {}).catch((error: unknown) => {
      if (error instanceof RpcNodeError && isExecutionTimeout(error))
        return ask(calls, signal, { shortTimeout: true });
      throw error;
    });
  } catch (error) {
    if (!(error instanceof RpcNodeError)) throw error;
    // This is what the contract did. One that a node which lives has worked on in vain, twice, confirms nothing either.
    if (isContractError(error) || isExecutionTimeout(error)) return false;
    throw new NodesUnavailableError('unavailable', error.message, { cause: error });
  }
}
