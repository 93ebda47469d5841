import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import type { AccountCall } from '../evm/operations/encode-execute.js';
import { PaymasterConfig } from '../evm/paymaster.config.js';
import { SignerClient } from '../custody/signer-client.js';
import { policyNetwork } from '../limits/cap.js';
import { checkTargets } from './rules/check-targets.js';
import { judgeCalls } from './rules/judge-calls.js';
import { PoliciesConfig } from './rules/policies.config.js';
import { idempotencyKeyRequired, policyForbidden } from './rules/policies.errors.js';
import { findPolicies } from './policies.queries.js';
import type { OperationLimits, Policy } from './rules/policy.js';

interface PolicyRequest {
  readonly clientId: string;
  readonly idempotencyKey: string | undefined;
}

const UNLIMITED: OperationLimits = { caps: [] };

/** Says what accounts may do for client applications. Everything that is signed has passed here. */
@Injectable()
export class PoliciesService {
  /**
   * Requests of the same millisecond share a statement, which starts after each of them. None waits for the statement of others: the first
   * of a burst would go ahead of the rest, and have a statement of its own at each step.
   */
  private readonly policies = createBatcher(
    (clientIds: readonly string[]) => findPolicies(this.database, clientIds),
    { batchWindowMs: 1, isParallel: true },
  );

  constructor(
    private readonly config: PoliciesConfig,
    private readonly database: Database,
    private readonly signer: SignerClient,
    private readonly paymasters: PaymasterConfig,
  ) {}

  /**
   * @returns whether a sponsor pays for the calls, if the chain has one, and limits to be checked with the estimated operation
   * @throws AppError 403 `policy_forbidden`
   */
  async checkCalls(
    { chainId, account, ...request }: PolicyRequest & { readonly chainId: number; readonly account: Address },
    calls: readonly AccountCall[],
  ): Promise<{ isSponsored: boolean; limits: OperationLimits }> {
    const policy = await this.loadPolicy(request);
    const paymasters = this.paymasters.list(chainId).map(({ address }) => address);
    checkTargets(calls, [account, ...paymasters, ...(await this.signer.executors())]);
    if (policy === 'open') return { isSponsored: true, limits: UNLIMITED };
    judgeCalls(policy, chainId, calls);
    return { isSponsored: policy.sponsoredChains.includes(chainId), limits: policy };
  }

  /** @returns limits to be checked with the estimated operation @throws AppError 403 `policy_forbidden` */
  async checkMint({
    chainId,
    ...request
  }: PolicyRequest & { readonly chainId: number }): Promise<OperationLimits> {
    const policy = await this.loadPolicy(request);
    if (policy === 'open') return UNLIMITED;
    if (!policy.mintChains.includes(chainId)) throw policyForbidden(`it has no mints on chain ${chainId}`);
    return policy;
  }

  /**
   * @returns whether a sponsor may pay the fee, if the network has one, and the policy, which the effects are to be judged by
   * @throws AppError 403 `policy_forbidden`
   */
  async checkSolana(
    request: PolicyRequest,
    network: Policy['solanaNetworks'][number],
  ): Promise<{ isSponsored: boolean; policy: Policy | 'open' }> {
    const policy = await this.loadPolicy(request);
    if (policy === 'open') return { isSponsored: true, policy };
    if (!policy.solanaNetworks.includes(network))
      throw policyForbidden(`it has no transactions on the Solana network ${network}`);
    return { isSponsored: policy.sponsoredNetworks.includes(network), policy };
  }

  /** What caps hold for an operation that calls nothing. @throws AppError 403 `policy_forbidden` without a policy */
  async loadLimits(clientId: string): Promise<OperationLimits> {
    const policy = await this.findPolicy(clientId);
    return policy === 'open' ? UNLIMITED : policy;
  }

  /** Solana networks on which a sponsor may pay for an application. @throws AppError 403 `policy_forbidden` */
  async listSponsoredNetworks(clientId: string): Promise<Policy['sponsoredNetworks']> {
    const policy = await this.findPolicy(clientId);
    return policy === 'open' ? policyNetwork.options : policy.sponsoredNetworks;
  }

  private async loadPolicy({ clientId, idempotencyKey }: PolicyRequest): Promise<Policy | 'open'> {
    const policy = await this.findPolicy(clientId);
    if (policy !== 'open' && policy.requiresIdempotencyKey && idempotencyKey === undefined)
      throw idempotencyKeyRequired();
    return policy;
  }

  private async findPolicy(clientId: string): Promise<Policy | 'open'> {
    const policy = await this.policies.load(clientId);
    if (policy) return policy;
    if (this.config.DEFAULT_POLICY === 'open') return 'open';
    throw policyForbidden(
      'your client application has no policy; operators set one with `npm run gatehouse -- policies`, or DEFAULT_POLICY',
    );
  }
}
