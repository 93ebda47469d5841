import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, type Hex, http, type PublicClient, TransactionReceiptNotFoundError } from 'viem';
import { entryPoint08Abi, formatUserOperationRequest } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { numberToHex } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { decodeFailedOp } from '../../apps/account-kit/src/evm/operations/decode-failed-op.js';
import { encodeHandleOps } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { parseUserOperationEvents } from '../../apps/account-kit/src/evm/operations/parse-user-operation-events.js';
import { HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import type { LocalChain } from '../support/local-chain.js';
import { type BundlerEstimate, estimateAsBundler } from './bundler-estimate.js';
import {
  type BundlerError,
  explainFailedOp,
  explainFailure,
  findInvalidField,
  findOutstandingConflict,
  findProcessingConflict,
  type PooledOperation,
  readOperation,
  sumGas,
  wrongNonce,
} from './bundler-rules.js';

/** The pause between looks at the mempool for operations to bundle. */
const BUNDLE_PAUSE_MS = 50;
const FUNDS = 10n ** 24n;
/** The bundler outbids everybody, so that its own transaction is never what a test waits for. */
const TRANSACTION_FEES = { maxFeePerGas: 10n ** 14n, maxPriorityFeePerGas: 10n ** 9n };
const TRANSACTION_OVERHEAD_GAS = 200_000n;

/** Answers a request before the rules do, and returns true; for outages and answers that get lost. */
export type Interception = (request: NodeRequest, response: ServerResponse) => boolean | Promise<boolean>;

/**
 * A bundler on the loopback interface that is at least as strict as alto and ERC-7562: it refuses operations without fees, of future
 * nonces, and replacements that do not raise both fees by a tenth. What it accepts, it executes on the chain in a transaction of its own.
 * `bundler-rules.ts` names the origin of each rule; `npm run test:bundler` compares the answers with alto itself.
 */
export class BundlerStandIn {
  /** Each operation that was sent to it, in order, also refused ones. */
  readonly received: PooledOperation[] = [];
  /** Answers to operations that the bundler did not accept. */
  readonly refusals: BundlerError[] = [];
  intercept: Interception | undefined;
  /** Changes an estimate, for bundlers that ask for too much. */
  changeEstimate: (estimate: BundlerEstimate) => BundlerEstimate = (estimate) => estimate;
  /** Whether the bundler sends bundles; while it does not, accepted operations stay in its mempool. */
  isBundling = true;

  private readonly account = privateKeyToAccount(generatePrivateKey());
  private outstanding: PooledOperation[] = [];
  private processing: (PooledOperation & { readonly transaction: Hex })[] = [];
  private readonly nodes: HostileNode[] = [];
  private loop: Promise<void> = Promise.resolve();
  private isStopped = false;

  private readonly client: PublicClient;

  private constructor(private readonly chain: LocalChain) {
    this.client = createPublicClient({ transport: http(chain.anvilUrl) });
  }

  static async start(chain: LocalChain): Promise<BundlerStandIn> {
    const bundler = new BundlerStandIn(chain);
    await chain.setNativeBalance(bundler.account.address, FUNDS);
    bundler.nodes.push(
      await HostileNode.start(async (request, response) => {
        if ((await bundler.intercept?.(request, response)) === true) return;
        reply(response, request.id, await bundler.answer(request));
      }),
    );
    bundler.loop = bundler.bundle();
    return bundler;
  }

  get url(): string {
    return this.nodes[0]?.url ?? '';
  }

  /** Hashes in its mempool, in a bundle or not. */
  get held(): Hex[] {
    return [...this.outstanding, ...this.processing].map(({ hash }) => hash);
  }

  /** Whether a bundle with the operation waits to be mined. */
  isProcessing(hash: Hex): boolean {
    return this.processing.some((one) => one.hash === hash);
  }

  /** Forgets all operations, as a bundler does that restarts: its mempool is in memory. */
  forgetMempool(): void {
    this.outstanding = [];
    this.processing = [];
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.loop;
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** Answers by its rules, also for an interception that then drops the answer. */
  async answer({ method, params }: NodeRequest): Promise<{ result: unknown } | { error: BundlerError }> {
    try {
      switch (method) {
        case 'eth_chainId':
          return { result: numberToHex(this.chain.chainId) };
        case 'eth_supportedEntryPoints':
          return { result: Object.values(ACCOUNT_CONTRACTS).map(({ entryPoint }) => entryPoint) };
        case 'eth_sendUserOperation':
          return await this.send(params);
        case 'eth_estimateUserOperationGas':
          return await this.estimate(params);
        case 'eth_getUserOperationReceipt':
          return { result: await this.loadReceipt(params[0] as Hex) };
        case 'eth_getUserOperationByHash':
          return { result: this.findHeld(params[0] as Hex) };
        default:
          return { error: { code: -32_601, message: `Method not supported: ${method}` } };
      }
    } catch (error) {
      return { error: explainFailure(error) };
    }
  }

  private async send(params: readonly unknown[]): Promise<{ result: Hex } | { error: BundlerError }> {
    const candidate = readOperation(this.chain.chainId, params);
    if (!('hash' in candidate)) return this.refuse(candidate);
    this.received.push(candidate);
    const error =
      findInvalidField(candidate, await this.loadBaseFee()) ??
      (await this.validate(candidate)) ??
      findProcessingConflict(candidate, this.processing);
    if (error) return this.refuse(error);
    const { error: conflict, replaced } = findOutstandingConflict(candidate, this.outstanding);
    if (conflict) return this.refuse(conflict);
    this.outstanding = [...this.outstanding.filter((one) => one !== replaced), candidate];
    return { result: candidate.hash };
  }

  /** What a bundler answers about an operation that is in no block: where it is to go, without a block. */
  private findHeld(hash: Hex): unknown {
    const held = [...this.outstanding, ...this.processing].find((one) => one.hash === hash);
    if (!held) return null;
    const { entryPoint } = ACCOUNT_CONTRACTS[held.version];
    const noBlock = { blockNumber: null, blockHash: null, transactionHash: null };
    return { userOperation: formatUserOperationRequest(held.operation), entryPoint, ...noBlock };
  }

  private refuse(error: BundlerError): { error: BundlerError } {
    this.refusals.push(error);
    return { error };
  }

  /** Simulates on the newest block, on which the nonce must be the next one of its lane. */
  private async validate(pooled: PooledOperation): Promise<BundlerError | undefined> {
    const { version, operation } = pooled;
    const { entryPoint } = ACCOUNT_CONTRACTS[version];
    const next = await this.client.readContract({
      address: entryPoint,
      abi: entryPoint08Abi,
      functionName: 'getNonce',
      args: [operation.sender, operation.nonce >> 64n],
    });
    if (operation.nonce > next) return wrongNonce;
    try {
      const data = encodeHandleOps(version, [operation], this.account.address);
      await this.client.call({ account: this.account.address, to: entryPoint, data });
      return undefined;
    } catch (error) {
      const failed = decodeFailedOp(error);
      if (failed) return explainFailedOp(failed.reason);
      throw error;
    }
  }

  private async estimate(params: readonly unknown[]) {
    const read = readOperation(this.chain.chainId, params, { isEstimated: true });
    if (!('hash' in read)) return { error: read };
    const estimate = await estimateAsBundler(this.client, read);
    if ('code' in estimate) return { error: estimate };
    const changed = Object.entries(this.changeEstimate(estimate)) as [string, bigint][];
    return { result: Object.fromEntries(changed.map(([name, value]) => [name, numberToHex(value)])) };
  }

  private async loadReceipt(userOpHash: Hex): Promise<unknown> {
    for (const { entryPoint } of Object.values(ACCOUNT_CONTRACTS)) {
      const [log] = await this.client.getContractEvents({
        address: entryPoint,
        abi: entryPoint08Abi,
        eventName: 'UserOperationEvent',
        args: { userOpHash },
        fromBlock: 0n,
      });
      if (!log) continue;
      const { transactionHash } = log;
      const receipt = await this.client.request({
        method: 'eth_getTransactionReceipt',
        params: [transactionHash],
      });
      const { logs } = await this.client.getTransactionReceipt({ hash: transactionHash });
      const event = parseUserOperationEvents(entryPoint, logs).find(({ hash }) => hash === userOpHash);
      if (!event || !receipt) continue;
      return {
        userOpHash,
        entryPoint,
        sender: event.sender,
        nonce: numberToHex(event.nonce),
        paymaster: event.paymaster,
        success: event.success,
        actualGasCost: numberToHex(event.actualGasCost),
        actualGasUsed: numberToHex(event.actualGasUsed),
        logs: receipt.logs,
        receipt,
      };
    }
    return null;
  }

  private async loadBaseFee(): Promise<bigint> {
    const { baseFeePerGas } = await this.client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] });
    return baseFeePerGas.at(-1) ?? 0n;
  }

  private async bundle(): Promise<void> {
    while (!this.isStopped) {
      // A chain that is paused or has ended: the mempool waits.
      await this.bundleOutstanding().catch(() => undefined);
      await sleep(BUNDLE_PAUSE_MS);
    }
  }

  private async bundleOutstanding(): Promise<void> {
    await this.settleProcessing();
    if (!this.isBundling || this.outstanding.length === 0) return;
    const baseFee = await this.loadBaseFee();
    for (const pooled of this.outstanding) {
      if (pooled.operation.maxFeePerGas < baseFee) continue;
      // What can no longer be executed leaves the mempool in silence, as bundlers do.
      const isValid = (await this.validate(pooled)) === undefined;
      if (!this.outstanding.includes(pooled)) continue;
      this.outstanding = this.outstanding.filter((one) => one !== pooled);
      if (isValid) this.processing.push({ ...pooled, transaction: await this.sendBundle(pooled) });
    }
  }

  private async sendBundle({ version, operation }: PooledOperation): Promise<Hex> {
    const { account, chain, client } = this;
    const raw = await account.signTransaction({
      chainId: chain.chainId,
      type: 'eip1559',
      to: ACCOUNT_CONTRACTS[version].entryPoint,
      data: encodeHandleOps(version, [operation], account.address),
      gas: (sumGas(operation) * 32n) / 31n + TRANSACTION_OVERHEAD_GAS,
      nonce: await client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
      ...TRANSACTION_FEES,
    });
    return client.sendRawTransaction({ serializedTransaction: raw });
  }

  /** Forgets what was mined, and takes back what a reorganisation or a node has lost. */
  private async settleProcessing(): Promise<void> {
    for (const one of this.processing) {
      const { client } = this;
      const receipt = await client.getTransactionReceipt({ hash: one.transaction }).catch(ignoreNotFound);
      const isKnown =
        receipt !== undefined ||
        (await client.request({ method: 'eth_getTransactionByHash', params: [one.transaction] })) !== null;
      if (receipt === undefined && isKnown) continue;
      this.processing = this.processing.filter((other) => other !== one);
      if (!isKnown) this.outstanding = [...this.outstanding, one];
    }
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
}
