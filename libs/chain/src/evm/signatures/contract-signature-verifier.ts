import { hasFinishedWithin } from '@app/common';
import { type EvmAddress } from '@app/dto';
import { hashPersonalMessage } from '../../sign-in/hash-personal-message.js';
import { createEthCallClient, type EthCallClientOptions } from '../../call/evm/create-eth-call-client.js';
import { type ChainInfo, type ChainRegistry } from '../chains/chain-registry.js';
import { type EthCallOptions, type EthCallClient } from '../../call/evm/eth-call-client.js';
import {
  encodeIsValidSignature,
  isErc1271MagicValue,
  isErc6492Signature,
  encodeErc6492Validation,
  decodeErc6492Result,
} from './contract-signature-codec.js';
import { toLowerCaseAddress } from '../../reads/evm/abi-codec.js';
import { DEFAULT_NODE_CONNECT_TIMEOUT_MS, DEFAULT_NODE_TIMEOUT_MS } from '../../node/time-limits.js';
import { JsonRpcClient } from '../../node/evm/json-rpc-client.js';
import { isContractError, isExecutionTimeout, RpcNodeError } from '../../node/rpc-node-error.js';

export type NodesUnavailableErrorCode = 'unknown_chain' | 'unavailable' | 'timeout';

/** No node could verify the signature, so its validity is unknown. The message contains no RPC URL. */
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
  /** Milliseconds: DEFAULT_NODE_CONNECT_TIMEOUT_MS. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds for one HTTP request: DEFAULT_NODE_TIMEOUT_MS. */
  readonly requestTimeoutMs?: number;
}

export interface ContractSignatureClaim {
  /** The chain on which the account is deployed, or will be. */
  readonly chainId: number;
  /** An address in any case. */
  readonly account: string;
  /** The text given to the wallet, without the prefix of EIP-191. */
  readonly message: string;
  /** 0x and hex digits. */
  readonly signature: string;
}

/** Hex digits; multisig and ERC-6492 signatures are far shorter. */
const MAX_SIGNATURE_DIGITS = 2 * 8_192;
const SIGNATURE_PATTERN = /^0x(?:[0-9a-fA-F]{2})*$/;
/** Generous: a valid response is one word. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const CONNECTIONS_PER_NODE = 32;

/** Verifies signatures of contract wallets: ERC-1271, and ERC-6492 for wallets that are not deployed yet. */
export class ContractSignatureVerifier {
  private readonly rpc: JsonRpcClient;
  private readonly clients = new Map<number, EthCallClient>();

  constructor(private readonly options: ContractSignatureVerifierOptions) {
    const { connectTimeoutMs = DEFAULT_NODE_CONNECT_TIMEOUT_MS, requestTimeoutMs = DEFAULT_NODE_TIMEOUT_MS } =
      options;
    this.rpc = new JsonRpcClient({
      connectTimeoutMs,
      requestTimeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      connections: CONNECTIONS_PER_NODE,
    });
  }

  /** Whether the chain has a configured node; without one no retry can succeed. */
  hasNodes(chainId: number): boolean {
    return (this.options.chains.find(chainId)?.rpcUrls.length ?? 0) > 0;
  }

  /**
   * False if the contract does not confirm the signature: it reverts, halts, exhausts its gas, loops, makes a live node answer
   * an unknown error, returns anything else or does not exist (signatures of plain keys are verified by recoverSigner). Throws
   * NodesUnavailableError if no node of the chain executed the call.
   */
  async isValidSignature({ chainId, account, message, signature }: ContractSignatureClaim): Promise<boolean> {
    const chain = this.options.chains.find(chainId);
    if (!chain) throw new NodesUnavailableError('unknown_chain', `chain ${chainId} is not known`);
    if (!SIGNATURE_PATTERN.test(signature) || signature.length - 2 > MAX_SIGNATURE_DIGITS) return false;
    const hash = Buffer.from(hashPersonalMessage(message)).toString('hex');
    const validate = createValidationCall(toLowerCaseAddress(account), hash, signature.slice(2));
    const abortController = new AbortController();
    let isValid: boolean | undefined;
    try {
      const work = executeValidation(this.getClient(chain), validate, abortController.signal).then(
        (result) => (isValid = result),
      );
      await hasFinishedWithin(this.options.budgetMs ?? 10_000, work);
    } finally {
      abortController.abort();
    }
    if (isValid === undefined)
      throw new NodesUnavailableError('timeout', `${chain.name} did not answer in time`);
    return isValid;
  }

  /** Closes connections and fails pending requests. */
  async close(): Promise<void> {
    await this.rpc.close();
  }

  private getClient(chain: ChainInfo): EthCallClient {
    let client = this.clients.get(chain.id);
    if (!client) this.clients.set(chain.id, (client = createEthCallClient(chain, this.rpc, this.options)));
    return client;
  }
}

type ValidationCall = (
  client: EthCallClient,
  signal: AbortSignal,
  options: EthCallOptions,
) => Promise<boolean>;

function createValidationCall(account: EvmAddress, hash: string, signature: string): ValidationCall {
  if (isErc6492Signature(signature)) {
    const code = encodeErc6492Validation(account, hash, signature);
    return async (client, signal, options) =>
      decodeErc6492Result(await client.runInitCode(code, signal, options));
  }
  const read = { to: account, data: encodeIsValidSignature(hash, signature) };
  return async (client, signal, options) => isErc1271MagicValue(await client.call(read, signal, options));
}

/** Whether a live node failed at the call: a second failure of this kind shows that the contract is the cause. */
function isRepeatable(error: RpcNodeError): boolean {
  return error.kind === 'rejected' || isExecutionTimeout(error);
}

/** Repeats a call that a live node failed at once, because a lost request and a passing fault look the same. */
async function executeValidation(
  client: EthCallClient,
  validate: ValidationCall,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await validate(client, signal, {}).catch((error: unknown) => {
      if (error instanceof RpcNodeError && isRepeatable(error))
        return validate(client, signal, { shortTimeout: true });
      throw error;
    });
  } catch (error) {
    if (!(error instanceof RpcNodeError)) throw error;
    if (isContractError(error) || isRepeatable(error)) return false;
    throw new NodesUnavailableError('unavailable', error.message, { cause: error });
  }
}
