import { randomUUID } from 'node:crypto';
import { AppError } from '@app/common';
import { Database, lockTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Address, PublicClient } from 'viem';
import { EvmClientService } from '../../../evm/nodes/evm-client.service.js';
import { throwChainUnavailable } from '../../../evm/nodes/evm.errors.js';
import { PaymasterConfig } from '../../../evm/paymaster.config.js';
import { findPolicies } from '../../../policies/policies.queries.js';
import { PoliciesConfig } from '../../../policies/rules/policies.config.js';
import type { AskBundler } from '../bundler/estimate-at-bundler.js';
import { BundlerClientService } from '../bundler/bundler-client.service.js';
import { SignerClient } from '../../../custody/signer-client.js';
import { PaymasterServicesService } from '../../../policies/sponsoring/paymaster-services.service.js';
import { PaymasterDataService } from '../../../policies/sponsoring/paymaster-data.service.js';
import { ExecutorChainsConfig } from '../executor.config.js';
import { OperationStateRepository, toAccountLock } from '../operation-state.repository.js';
import { SignedOperationNotifier } from '../signed-operations-signal.js';
import { type CancellationCause, operationConflict, operationNotFound } from './cancellation-causes.js';
import { chargeAsked, chargeWanted, type AskingClient } from './charge-cancellation.js';
import {
  type CancelledOperation,
  findCancelled,
  insertCancellation,
  type LaneGap,
  type NewCancellation,
  type StandingCancellation,
} from './lanes.queries.js';
import { type CancellationPlan, mustDeploy, planForBundler, planForExecutor } from './plan-cancellation.js';

/** Own executors may have an operation in a transaction, which a cancellation would make revert. */
const CANCELLABLE: readonly string[] = ['signed', 'stuck', 'expired'];
/** A bundler replaces an operation that it holds, but none that own executors sent before the chain got a bundler. */
const CANCELLABLE_AT_BUNDLER: readonly string[] = [...CANCELLABLE, 'submitted'];

/** Why a nonce is taken, and for which client application. */
interface CancellationRequest {
  readonly cause: CancellationCause;
  readonly clientId: string;
  /** Set if the application itself asks: then its limits hold. */
  readonly asking?: AskingClient;
  /** An earlier cancellation that cannot run, which is to be replaced. */
  readonly replacedId?: string;
  /** The nonce, if it is one that no operation has, before the operation in its lane. */
  readonly sequence?: bigint;
}

/** @property clientIds applications that want the nonce, of which one pays */
type RepairRequest = Omit<CancellationRequest, 'asking' | 'sequence' | 'clientId'> & {
  readonly clientIds: readonly string[];
};

/**
 * Takes nonces of operations with operations that call nothing, so that lanes go on. Whichever operation of a nonce is executed, the others
 * never are, and a cancellation does nothing else: so it is the only kind of operation that may be signed more than once for a nonce.
 */
@Injectable()
export class CancellationService {
  constructor(
    private readonly database: Database,
    private readonly clients: EvmClientService,
    private readonly chains: ExecutorChainsConfig,
    private readonly signer: SignerClient,
    private readonly paymasters: PaymasterConfig,
    private readonly services: PaymasterServicesService,
    private readonly paymasterData: PaymasterDataService,
    private readonly states: OperationStateRepository,
    private readonly notifier: SignedOperationNotifier,
    private readonly bundlers: BundlerClientService,
    private readonly policies: PoliciesConfig,
  ) {}

  /**
   * Idempotent. The operation is `rejected` when its nonce is used at the confirmation depth.
   * @returns id of the cancellation, an operation of its own
   * @throws AppError 404, 409 `operation_conflict` if the operation is in a transaction or has ended, 403 `policy_limit_exceeded`,
   *   `policy_forbidden`, 409 `account_funds_required`, 503
   */
  cancel(operationId: string, asking: AskingClient): Promise<string> {
    return this.take(operationId, { cause: 'asked', clientId: asking.clientId, asking });
  }

  /** Cancels an operation that cannot run, or replaces a cancellation that cannot. Counted under the caps of the application, never refused by them. */
  async repair(operationId: string, request: RepairRequest): Promise<void> {
    await this.takeForOne(operationId, request);
  }

  /** Takes a nonce that no operation has, unless a new one has taken it meanwhile. */
  async fill({ id, nonceSequence, clientIds }: LaneGap): Promise<void> {
    await this.takeForOne(id, { cause: 'lane', clientIds, sequence: nonceSequence });
  }

  /** The first application whose limits allow it pays: one that has used them up keeps a nonce from no other one that waits for it. */
  private async takeForOne(
    operationId: string,
    { clientIds, ...request }: RepairRequest & { readonly sequence?: bigint },
  ): Promise<void> {
    let refusal: unknown;
    for (const clientId of clientIds)
      try {
        await this.take(operationId, { ...request, clientId });
        return;
      } catch (error) {
        if (!isOfApplication(error)) throw error;
        refusal ??= error;
      }
    throw refusal;
  }

  private async take(operationId: string, request: CancellationRequest): Promise<string> {
    const target = await findCancelled(this.database, operationId, request.sequence);
    if (!target) throw operationNotFound();
    const client = await this.clients.getClient(target.chainId);
    const confirmations = this.chains.getConfirmations(target.chainId);
    const { sender } = target;
    const deploys = await mustDeploy(client, { sender, confirmations }).catch(throwChainUnavailable);
    const standing = this.check(target, request, deploys);
    const { id, state } = standing ?? (await this.store(client, target, request, deploys));
    // At a bundler another request waits for the sponsor at the moment, or has died, and then the sweeper of unsigned
    // operations signs the cancellation.
    const isAtBundler = this.chains.getBundlerUrl(target.chainId) !== undefined;
    if (standing && state === 'accepted' && !isAtBundler) await this.sign(id, target.chainId, undefined);
    return id;
  }

  /** @returns a cancellation that makes another one needless @throws AppError 409 */
  private check(
    now: CancelledOperation,
    { replacedId, sequence }: CancellationRequest,
    deploys: boolean,
  ): StandingCancellation | undefined {
    const { state, kind, isTaken, isInTransaction, standing } = now;
    const isAtBundler = this.chains.getBundlerUrl(now.chainId) !== undefined;
    const cancellable = isAtBundler ? CANCELLABLE_AT_BUNDLER : CANCELLABLE;
    const isCancellable = cancellable.includes(state) && (state !== 'submitted' || !isInTransaction);
    if (!isCancellable && sequence === undefined) throw operationConflict(state);
    // The cancellation of a gap has the id of a later operation, whose own nonce nobody takes.
    if ((sequence !== undefined || state === 'expired') && isTaken) throw operationConflict(state);
    if (kind === 'cancellation' && sequence === undefined && replacedId === undefined)
      throw operationConflict(state);
    if (standing === null) return undefined;
    const hasEnded = ['included', 'final', 'reverted'].includes(standing.state);
    const canRun = standing.deploysAccount === deploys && standing.id !== replacedId && !standing.isFrozen;
    return hasEnded || canRun ? standing : undefined;
  }

  /**
   * Stores a cancellation and who pays for it. With own executors the executor pays. With a bundler the chain's sponsor
   * pays where the policy of the application sponsors the chain, else the account; if the one cannot pay, the other
   * does.
   */
  private async store(
    client: PublicClient,
    target: CancelledOperation,
    request: CancellationRequest,
    deploysAccount: boolean,
  ): Promise<Pick<StandingCancellation, 'id' | 'state'>> {
    const { chainId, version } = target;
    const url = this.chains.getBundlerUrl(chainId);
    if (url === undefined) {
      const plan = await planForExecutor(client, deploysAccount).catch(throwChainUnavailable);
      return this.storeAndSign(target, request, plan, !(await this.isSponsored(request.clientId, chainId)));
    }
    const attempt = async (paymaster: Address | undefined, isPaidBeyondPolicy = false) => {
      const askBundler: AskBundler = (...asked) => this.bundlers.estimate(url, ...asked);
      const parts = { client, services: this.services, askBundler };
      const maxFeePerGas = this.chains.getMaxFeePerGas(chainId);
      const plan = await planForBundler(parts, target, { deploysAccount, paymaster, maxFeePerGas }).catch(
        throwChainUnavailable,
      );
      return this.storeAndSign(target, request, plan, isPaidBeyondPolicy);
    };
    const paymaster = this.paymasters.find(chainId, version);
    if (paymaster === undefined) return attempt(undefined);
    const isSponsored = await this.isSponsored(request.clientId, chainId);
    const bySponsor = () => attempt(paymaster, !isSponsored);
    const byAccount = () => attempt(undefined);
    // The bundler may have refused the earlier cancellation because of the sponsor.
    const isRefused = request.replacedId !== undefined && target.standing?.isSponsored === true;
    const [first, second] = isSponsored && !isRefused ? [bySponsor, byAccount] : [byAccount, bySponsor];
    try {
      return await first();
    } catch (failure) {
      if (!isOfPayer(failure)) throw failure;
      return second().catch((other: unknown) => {
        throw isOfPayer(other) ? failure : other;
      });
    }
  }

  /** Whether the policy of an application lets a sponsor pay on a chain. */
  private async isSponsored(clientId: string, chainId: number): Promise<boolean> {
    const [policy] = await findPolicies(this.database, [clientId]);
    if (policy === undefined) return this.policies.DEFAULT_POLICY === 'open';
    return !(policy instanceof Error) && policy.sponsoredChains.includes(chainId);
  }

  private async storeAndSign(
    target: CancelledOperation,
    request: CancellationRequest,
    plan: CancellationPlan,
    isPaidBeyondPolicy = false,
  ): Promise<Pick<StandingCancellation, 'id' | 'state'>> {
    const { clientId, cause, sequence, asking } = request;
    const { accountId, chainId } = target;
    const id = randomUUID();
    const charged = {
      operationId: id,
      accountId,
      clientId,
      chainId,
      cost: plan.cost,
      isPaidBeyondPolicy,
    };
    const stored = await this.insert(
      target,
      sequence,
      { id, clientId, cause, plan, isPaidBeyondPolicy },
      {
        check: (now) => this.check(now, request, plan.deploysAccount),
        charge: (manager) =>
          asking ? chargeAsked(manager, charged, asking) : chargeWanted(manager, charged),
      },
    );
    if (stored.id === id) await this.signOwn(id, chainId, plan.paymaster);
    return stored;
  }

  /**
   * Stores a cancellation as `accepted`, under the lock under which nonces are given away and that of the operation, which a bundle at the
   * same time waits for.
   * @param check throws for an operation that cannot be cancelled any more, and returns a cancellation that makes another one needless
   * @param charge counts the cancellation, in the same transaction
   * @returns the stored cancellation, or the one that `check` returned
   */
  private insert(
    { id: operationId, accountId, chainId }: CancelledOperation,
    sequence: bigint | undefined,
    cancellation: NewCancellation,
    {
      check,
      charge,
    }: {
      readonly check: (now: CancelledOperation) => StandingCancellation | undefined;
      readonly charge: (manager: EntityManager) => Promise<void>;
    },
  ): Promise<Pick<StandingCancellation, 'id' | 'state'>> {
    return this.database.transaction(async (manager) => {
      await lockTransaction(manager, toAccountLock(accountId, chainId));
      await this.states.lock(manager, [operationId]);
      const now = await findCancelled(manager, operationId, sequence);
      if (!now) throw new Error('an operation that is cancelled has vanished');
      const standing = check(now);
      if (standing) return standing;
      if (!(await insertCancellation(manager, operationId, sequence, cancellation)))
        throw operationConflict(now.state);
      await this.states.recordAccepted(manager, [cancellation.id]);
      await charge(manager);
      return { id: cancellation.id, state: 'accepted' };
    });
  }

  /** A cancellation that cannot be signed is rejected by the request that stored it, so that the next one may have another payer. */
  private async signOwn(id: string, chainId: number, paymaster: Address | undefined): Promise<void> {
    try {
      await this.sign(id, chainId, paymaster);
    } catch (error) {
      const reason = 'the cancellation could not be signed';
      await this.database.transaction((manager) => this.states.rejectUnsigned(manager, id, reason));
      throw error;
    }
  }

  private async sign(id: string, chainId: number, paymaster: Address | undefined): Promise<void> {
    if (paymaster !== undefined) await this.paymasterData.load(id, chainId);
    await this.states.markSigned(id, await this.signer.signUserOperation(id));
    this.notifier.notify(id);
  }
}

const isOfApplication = (error: unknown): boolean =>
  error instanceof AppError && error.details['code'] === 'policy_limit_exceeded';

/** A freeze of the sponsor leaves cancellations to the account; the signer refuses the account's own if that is frozen, too. */
const isOfPayer = (error: unknown): boolean =>
  error instanceof AppError &&
  ['sponsor_unavailable', 'frozen', 'account_funds_required'].includes(String(error.details['code']));
