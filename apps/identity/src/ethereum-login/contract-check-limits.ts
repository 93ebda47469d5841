import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { type CheckAsker, CheckHolders } from './check-holders.js';
import { CheckShare, type NoRoom, type ShareSize } from './check-share.js';
import { ContractCheckConfig } from './contract-check.config.js';
import { tooManyContractChecks } from './ethereum-login.errors.js';

const MOST_HOLDERS = 20_000;

/**
 * Callers choose contracts, and nodes work on those for seconds: nobody has more of that than a share, nor more of a chain
 * than is left of it for all others, and no chain takes all of it.
 */
@Injectable()
export class ContractCheckLimits {
  private readonly perHolder: ShareSize;
  private readonly perChain: ShareSize;
  private readonly holders = new LRUCache<string, CheckShare>({ max: MOST_HOLDERS });
  private readonly chains = new Map<number, CheckShare>();
  private readonly refused: Counter<'limit'>;

  constructor(
    config: ContractCheckConfig,
    private readonly askers: CheckHolders,
    { metrics }: ServiceContext,
  ) {
    this.perHolder = {
      atOnce: config.HOLDER_CONTRACT_CHECKS,
      perMinute: config.HOLDER_CONTRACT_CHECKS_A_MINUTE,
    };
    this.perChain = {
      atOnce: config.CHAIN_CONTRACT_CHECKS,
      perMinute: config.CHAIN_CONTRACT_CHECKS_A_MINUTE,
    };
    this.refused = new Counter({
      name: 'identity_contract_checks_refused_total',
      help: 'Signatures of contract accounts that no node was asked about, because of too many others.',
      labelNames: ['limit'],
      registers: [metrics.registry],
    });
  }

  /** @param chainId of a chain that has nodes. @returns what ends the check. @throws AppError 429 */
  async begin(asker: CheckAsker, chainId: number): Promise<() => void> {
    const name = await this.askers.of(asker);
    const holder = this.holders.get(name) ?? new CheckShare(this.perHolder);
    this.holders.set(name, holder);
    const chain = this.chains.get(chainId) ?? new CheckShare(this.perChain);
    this.chains.set(chainId, chain);
    this.check('holder', holder.noRoom());
    this.check('chain', chain.noRoomFor(holder));
    holder.begin();
    chain.begin();
    return () => {
      holder.end();
      chain.end();
    };
  }

  private check(whose: string, full: NoRoom | undefined): void {
    if (!full) return;
    this.refused.inc({ limit: `${whose}_${full.limit}` });
    throw tooManyContractChecks(full.retryAfter);
  }
}
