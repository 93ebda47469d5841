import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import type { SmartAccount } from '../accounts/smart-accounts.queries.js';
import { PaymasterConfig } from '../evm/paymasters/paymaster.config.js';
import { policyLimitExceeded } from '../policies/policies.errors.js';
import { PoliciesService } from '../policies/policies.service.js';
import { countSponsoredReverts } from './sponsored-reverts.queries.js';

/** Reverted operations of one client application that sponsors pay for on one UTC day (contract.md section 10). */
const MAX_REVERTS_PER_DAY = 50;

/** Says whose user operations a sponsor pays for. */
@Injectable()
export class SponsoringService {
  constructor(
    private readonly paymasters: PaymasterConfig,
    private readonly policies: PoliciesService,
    private readonly database: Database,
  ) {}

  /**
   * Undefined if the account pays.
   * @throws AppError 403 `policy_limit_exceeded` after too many operations that reverted
   */
  async findCallPaymaster({
    clientId,
    chainId,
    account,
  }: {
    readonly clientId: string;
    readonly chainId: number;
    readonly account: SmartAccount;
  }): Promise<Address | undefined> {
    const paymaster = this.paymasters.find(chainId, account.accountVersion);
    if (paymaster === undefined) return undefined;
    if (!(await this.policies.isSponsored({ clientId, chainId }))) return undefined;
    const { count, endsAt } = await countSponsoredReverts(this.database, clientId);
    if (count >= MAX_REVERTS_PER_DAY)
      throw policyLimitExceeded(`${MAX_REVERTS_PER_DAY} sponsored operations that reverted a day`, endsAt);
    return paymaster;
  }

  /** A mint that the policy allows is sponsored wherever there is a paymaster. */
  findMintPaymaster({
    chainId,
    account,
  }: {
    readonly chainId: number;
    readonly account: SmartAccount;
  }): Address | undefined {
    return this.paymasters.find(chainId, account.accountVersion);
  }
}
