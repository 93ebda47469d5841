import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import type { AccountCall } from '../evm/operations/encode-execute.js';
import { PaymasterConfig } from '../evm/paymasters/paymaster.config.js';
import { SignerClient } from '../key-vault/signer-client.js';
import { checkTargets } from './check-targets.js';
import { judgeCalls } from './judge-calls.js';
import { PoliciesConfig } from './policies.config.js';
import { policyForbidden } from './policies.errors.js';
import { findPolicy } from './policies.queries.js';
import type { OperationLimits, Policy } from './policy.js';

const UNLIMITED: OperationLimits = { caps: [] };

/** Says what accounts may do for client applications. Everything that is signed has passed here. */
@Injectable()
export class PoliciesService {
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
    { clientId, chainId, account }: { clientId: string; chainId: number; account: Address },
    calls: readonly AccountCall[],
  ): Promise<{ isSponsored: boolean; limits: OperationLimits }> {
    const policy = await this.loadPolicy(clientId);
    const paymasters = this.paymasters.list(chainId).map(({ address }) => address);
    checkTargets(calls, [account, ...paymasters, ...(await this.signer.executors())]);
    if (policy === 'open') return { isSponsored: true, limits: UNLIMITED };
    judgeCalls(policy, chainId, calls);
    return { isSponsored: policy.sponsoredChains.includes(chainId), limits: policy };
  }

  /** @returns limits to be checked with the estimated operation @throws AppError 403 `policy_forbidden` */
  async checkMint({ clientId, chainId }: { clientId: string; chainId: number }): Promise<OperationLimits> {
    const policy = await this.loadPolicy(clientId);
    if (policy === 'open') return UNLIMITED;
    if (!policy.mintChains.includes(chainId)) throw policyForbidden(`it has no mints on chain ${chainId}`);
    return policy;
  }

  /** @throws AppError 403 `policy_forbidden` */
  async checkSolana(clientId: string, network: Policy['solanaNetworks'][number]): Promise<void> {
    const policy = await this.loadPolicy(clientId);
    if (policy !== 'open' && !policy.solanaNetworks.includes(network))
      throw policyForbidden(`it has no transactions on the Solana network ${network}`);
  }

  private async loadPolicy(clientId: string): Promise<Policy | 'open'> {
    const policy = await findPolicy(this.database, clientId);
    if (policy) return policy;
    if (this.config.DEFAULT_POLICY === 'open') return 'open';
    throw policyForbidden(
      'your client application has no policy; operators set one with `npm run policies`, or DEFAULT_POLICY',
    );
  }
}
