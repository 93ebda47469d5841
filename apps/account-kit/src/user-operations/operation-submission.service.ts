import { createHash } from 'node:crypto';
import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import type { AccountVersion } from '../evm/accounts/account-contracts.js';
import { EvmClientService } from '../evm/nodes/evm-client.service.js';
import { chainNotSupported, throwChainUnavailable } from '../evm/nodes/evm.errors.js';
import { toMaxGasCost, type UserOperationFields } from '../evm/operations/user-operation.js';
import { BundlerClientService } from './execution/bundler/bundler-client.service.js';
import { MAX_TRANSACTION_GAS } from '../evm/estimation/gas-costs.js';
import { ExecutorChainsConfig, ExecutorConfig } from './execution/executor.config.js';
import { wantNonce } from './execution/dead-operations/lanes.queries.js';
import { frozen } from '../limits/freezes.errors.js';
import { PaymasterServicesService } from '../policies/sponsoring/paymaster-services.service.js';
import { AcceptOperationService, type DatedPlan } from './accept-operation.service.js';
import { findBoundKey, type IdempotencyScope } from './idempotency-keys.queries.js';
import { OperationSigningService } from './operation-signing.service.js';
import type { UserOperationDryRun } from './dry-run.dto.js';
import { type OperationPlan, type OperationRequest, planOperation } from './plan-operation.js';
import {
  idempotencyKeyConflict,
  isRefusedForOthers,
  unfinishedOperationLimitExceeded,
} from './user-operations.errors.js';
import { isStoredOperationFrozen, type Lane, listUnfinishedOperations } from './user-operations.queries.js';

/** Tells a plan that was judged and is not accepted. */
function toOperationDryRun(
  { operation, value }: OperationPlan,
  caps: UserOperationDryRun['caps'],
): UserOperationDryRun {
  const { paymaster, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation;
  const maxGasCost = toMaxGasCost(operation);
  return {
    dryRun: true,
    chainId: operation.chainId,
    account: operation.sender,
    deploysAccount: operation.deploysAccount,
    paidBy: paymaster === undefined ? 'account' : 'sponsor',
    callGasLimit: String(operation.callGasLimit),
    verificationGasLimit: String(operation.verificationGasLimit),
    preVerificationGas: String(operation.preVerificationGas),
    paymasterVerificationGasLimit: paymasterVerificationGasLimit?.toString(),
    paymasterPostOpGasLimit: paymasterPostOpGasLimit?.toString(),
    maxFeePerGas: String(operation.maxFeePerGas),
    maxPriorityFeePerGas: String(operation.maxPriorityFeePerGas),
    maxGasCost: String(maxGasCost),
    maxAccountCost: String(paymaster === undefined ? value + maxGasCost : value),
    caps,
  };
}

/** The decision of a policy about an operation: its limits, and who pays. */
export type JudgedOperation = Pick<OperationRequest, 'limits' | 'paymaster'>;
/** The request for an operation before any policy is judged. */
export type OperationIdentity = Omit<OperationRequest, keyof JudgedOperation>;

export interface SubmissionOptions {
  readonly idempotencyKey: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface SubmittedOperation {
  readonly id: string;
  readonly userOperationHash: Hex;
  readonly chainId: number;
}

/** Accepts user operations: each is estimated, stored, signed once, and then left to the executors. */
@Injectable()
export class OperationSubmissionService {
  /** Requests at the same time share a statement, which starts after each of them. */
  private readonly unfinished = createBatcher(
    (accounts: readonly Omit<Lane, 'nonceKey'>[]) => listUnfinishedOperations(this.database, accounts),
    { batchWindowMs: 0 },
  );

  constructor(
    private readonly database: Database,
    private readonly clients: EvmClientService,
    private readonly signing: OperationSigningService,
    private readonly accepting: AcceptOperationService,
    private readonly services: PaymasterServicesService,
    private readonly chains: ExecutorChainsConfig,
    private readonly executors: ExecutorConfig,
    private readonly bundlers: BundlerClientService,
  ) {}

  /**
   * @param options.idempotencyKey a repeated request with it gets the operation of the first one, whatever the policy says by then
   * @param options.dryRun judges and plans as always, and accepts nothing: no key is opened, bound or looked up
   * @param judge says by the policy of now what the operation may do, and who pays for it; asked of new operations only
   * @throws AppError 403 `policy_forbidden`, `policy_limit_exceeded`, `frozen`; 409 `would_revert`, `account_deploying`, `account_funds_required`, `idempotency_key_conflict`; 429
   *   `unfinished_operation_limit_exceeded`; 503 `acceptance_timeout`, and when the chain or the key vault does not answer
   */
  async submit(
    identity: OperationIdentity,
    { idempotencyKey, dryRun = false }: SubmissionOptions,
    judge: () => Promise<JudgedOperation>,
  ): Promise<SubmittedOperation | UserOperationDryRun> {
    if (dryRun) {
      const plan = await this.plan({ ...identity, ...(await judge()) });
      return toOperationDryRun(plan, await this.accepting.dryRun(plan));
    }
    const scope = toScope(identity, idempotencyKey);
    const requestHashes = hashRequest(identity);
    const { chainId } = identity;
    const bound = await this.findBound(scope, requestHashes);
    if (bound !== undefined) {
      await this.checkFreezes(bound);
      return { id: bound, userOperationHash: await this.signing.sign(bound), chainId };
    }
    const request = { ...identity, ...(await judge()) };
    const { id, isNew } = await this.acceptOnce(request, requestHashes, scope);
    return {
      id,
      userOperationHash: await (isNew
        ? this.signing.signAccepted(id, { needsSponsor: request.paymaster !== undefined, chainId })
        : this.signing.sign(id)),
      chainId,
    };
  }

  /** @throws AppError 403 `frozen` */
  private async checkFreezes(id: string): Promise<void> {
    if (await isStoredOperationFrozen(this.database, id)) throw frozen();
  }

  /** The operation of an idempotency key. @throws AppError 409 if the key is bound to another request */
  private async findBound(
    scope: IdempotencyScope | undefined,
    { canonical, asGiven }: RequestHashes,
  ): Promise<string | undefined> {
    const bound = scope && (await findBoundKey(this.database, scope));
    if (bound && ![canonical, asGiven].some((hash) => bound.requestHash.equals(hash)))
      throw idempotencyKeyConflict();
    return bound?.operationId;
  }

  /** @returns the stored operation, which is not new if a concurrent request has bound the idempotency key first */
  private async acceptOnce(
    request: OperationRequest,
    requestHashes: RequestHashes,
    scope: IdempotencyScope | undefined,
  ): Promise<{ id: string; isNew: boolean }> {
    try {
      return { id: await this.accept(request, requestHashes.canonical, scope), isNew: true };
    } catch (error) {
      // The operation of a concurrent request may be why this one was refused.
      const bound = await this.findBound(scope, requestHashes);
      if (bound !== undefined) return { id: bound, isNew: false };
      if (isRefusedForOthers(error))
        await wantNonce(this.database, { ...request, accountId: request.account.id });
      throw error;
    }
  }

  private async accept(
    request: OperationRequest,
    requestHash: Buffer,
    scope: IdempotencyScope | undefined,
  ): Promise<string> {
    // Nothing is reserved for an operation that the key vault cannot sign.
    const plan = await this.plan(request, () => this.signing.prepare(request.account.id));
    await this.accepting.accept(plan, scope && { ...scope, requestHash });
    return plan.operation.id;
  }

  /** @param meanwhile what else has to succeed, while the chain is asked */
  private async plan(
    request: OperationRequest,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<DatedPlan> {
    const { account, chainId } = request;
    const lane = { accountId: account.id, chainId };
    // An operation that is signed and never sent would be worse than a refusal.
    if (!this.chains.isServed(chainId)) throw chainNotSupported(chainId);
    const client = await this.clients.getClient(chainId);
    const unfinished = await this.unfinished.load(lane);
    const limit = this.chains.getMaxUnfinished(chainId);
    if (unfinished.length >= limit) throw unfinishedOperationLimitExceeded(limit);
    const [plan] = await Promise.all([
      planOperation({ client, ...this.toPlanContext(chainId) }, request, unfinished).catch(
        throwChainUnavailable,
      ),
      meanwhile(),
    ]);
    return { ...plan, deadline: request.deadline };
  }

  private toPlanContext(chainId: number) {
    const bundlerUrl = this.chains.getBundlerUrl(chainId);
    return {
      services: this.services,
      maxFeePerGas: this.chains.getMaxFeePerGas(chainId),
      canMint: this.clients.hasDeterministicDeployer(chainId),
      maxTransactionGas: bundlerUrl === undefined ? this.executors.EXECUTOR_BUNDLE_GAS : MAX_TRANSACTION_GAS,
      maxTransactionCost: bundlerUrl === undefined ? this.chains.getTransactionFeeCap(chainId) : undefined,
      askBundler:
        bundlerUrl === undefined
          ? undefined
          : (version: AccountVersion, operation: UserOperationFields) =>
              this.bundlers.estimate(bundlerUrl, version, operation),
    };
  }
}

const toScope = (
  { account, clientId }: OperationIdentity,
  key: string | undefined,
): IdempotencyScope | undefined => (key === undefined ? undefined : { clientId, accountId: account.id, key });

interface RequestHashes {
  readonly canonical: Buffer;
  /** The hash that instances of the previous release bind, which keep the order of keys in the metadata of a mint. */
  readonly asGiven: Buffer;
}

/** Identifies what a request asks for; the account and the client application are part of the key's scope. */
function hashRequest({ kind, chainId, nonceKey, content }: OperationIdentity): RequestHashes {
  const request = [kind, chainId, String(nonceKey), content];
  const hash = (json: string): Buffer => createHash('sha256').update(json).digest();
  return { canonical: hash(JSON.stringify(request, sortKeys)), asGiven: hash(JSON.stringify(request)) };
}

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
