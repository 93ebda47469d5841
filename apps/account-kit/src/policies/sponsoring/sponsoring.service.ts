import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import type { SmartAccount } from '../../custody/accounts/smart-accounts.queries.js';
import { PaymasterConfig } from '../../evm/paymaster.config.js';
import { policyLimitExceeded } from '../rules/policies.errors.js';
import { countSponsoredReverts } from './sponsored-operations.queries.js';

/** Reverted operations and Solana transactions of one client application that sponsors pay for on one UTC day (contract.md section 10). */
const MAX_REVERTS_PER_DAY = 50;

interface SponsoringTarget {
  readonly clientId: string;
  readonly chainId: number;
  readonly account: SmartAccount;
}

/** Says for whom a sponsor pays. */
@Injectable()
export class SponsoringService {
  constructor(
    private readonly paymasters: PaymasterConfig,
    private readonly database: Database,
  ) {}

  /**
   * Finds the paymaster of calls and mints that the policy sponsors. Undefined if the chain has no sponsor: then the
   * account pays.
   * @throws AppError 403 `policy_limit_exceeded` after too many operations that reverted
   */
  async findPaymaster({ clientId, chainId, account }: SponsoringTarget): Promise<Address | undefined> {
    const paymaster = this.paymasters.find(chainId, account.accountVersion);
    if (paymaster === undefined) return undefined;
    await this.checkReverts(clientId);
    return paymaster;
  }

  /** @throws AppError 403 `policy_limit_exceeded` after too many operations and transactions that failed */
  async checkReverts(clientId: string): Promise<void> {
    const { count, endsAt } = await countSponsoredReverts(this.database, clientId);
    if (count >= MAX_REVERTS_PER_DAY)
      throw policyLimitExceeded(`${MAX_REVERTS_PER_DAY} sponsored operations that reverted a day`, endsAt);
  }
}
