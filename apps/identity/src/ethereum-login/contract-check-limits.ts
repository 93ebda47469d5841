import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { CheckShare, type ShareSize } from './check-share.js';
import { ContractCheckConfig } from './contract-check.config.js';
import { tooManyContractChecks } from './ethereum-login.errors.js';

const MOST_HOLDERS = 20_000;

/**
 * Callers choose contracts, and nodes work on those for seconds: no client application has more of that than its share, and
 * no chain takes all of it.
 */
@Injectable()
export class ContractCheckLimits {
  private readonly perClient: ShareSize;
  private readonly perChain: ShareSize;
  private readonly clients = new LRUCache<string, CheckShare>({ max: MOST_HOLDERS });
  private readonly chains = new Map<number, CheckShare>();
  private readonly refused: Counter<'limit'>;

  constructor(config: ContractCheckConfig, { metrics }: ServiceContext) {
    this.perClient = {
      atOnce: config.CLIENT_CONTRACT_CHECKS,
      perMinute: config.CLIENT_CONTRACT_CHECKS_A_MINUTE,
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
  begin(clientId: string, chainId: number): () => void {
    const client = this.clients.get(clientId) ?? new CheckShare(this.perClient);
    this.clients.set(clientId, client);
    const chain = this.chains.get(chainId) ?? new CheckShare(this.perChain);
    this.chains.set(chainId, chain);
    this.check('client', client);
    this.check('chain', chain);
    client.begin();
    chain.begin();
    return () => {
      client.end();
      chain.end();
    };
  }

  private check(whose: string, share: CheckShare): void {
    const full = share.noRoom();
    if (!full) return;
    this.refused.inc({ limit: `${whose}_${full.limit}` });
    throw tooManyContractChecks(full.retryAfter);
  }
}
