import type { NodesUnavailableError } from '@app/chain/evm';
import { createConfigClass, envInteger } from '@app/config';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { boundEntries, RETRY_AFTER_SECONDS, serviceUnavailable, tooManyRequests } from '@app/common';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { BudgetKeyQueries, type CheckRequester } from './budget-key.queries.js';
import {
  ContractCheckBudget,
  type ContractCheckBudgetSize,
  type LimitExceeded,
} from './contract-check-budget.js';

/** Limits of one instance on signature checks by contract wallets. */
const contractCheckConfigSchema = z.object({
  TENANT_CONTRACT_CHECKS: envInteger(1, 1_000).default(8).meta({
    description:
      'Contract wallet signatures that an instance verifies at once for one tenant, or for one IP address at the login page. Users, without an API key, get at most half of it. Above it 429.',
    formerName: 'HOLDER_CONTRACT_CHECKS',
  }),
  TENANT_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000).default(600).meta({
    description:
      'Contract wallet signatures that an instance begins to verify within a minute for one tenant, or for one IP address at the login page. Users, without an API key, get at most half of it. Above it 429.',
    formerName: 'HOLDER_CONTRACT_CHECKS_A_MINUTE',
  }),
  CHAIN_CONTRACT_CHECKS: envInteger(1, 1_000)
    .default(24)
    .describe(
      'Contract wallet signatures that an instance verifies at once on one chain. Above it 429. Keep it below the number of connections to a node.',
    ),
  CHAIN_CONTRACT_CHECKS_A_MINUTE: envInteger(1, 1_000_000)
    .default(3_000)
    .describe(
      'Contract wallet signatures that an instance begins to verify within a minute on one chain. Above it 429.',
    ),
});

export class ContractCheckConfig extends createConfigClass(contractCheckConfigSchema) {}

/** 503: no node answered, so the signature is neither valid nor invalid. */
export const nodesUnavailable = (cause: NodesUnavailableError) =>
  serviceUnavailable(
    'nodes_unavailable',
    'The signature of this contract wallet could not be checked because no chain node answered. Try again later; a login needs a new challenge.',
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
    { cause },
  );

/** 429: the signature was not checked. @param retryAfter seconds */
const contractCheckLimitExceeded = (retryAfter: number) =>
  tooManyRequests(
    'contract_check_limit_exceeded',
    'Too many signatures of contract wallets are being checked. Try again later; a login needs a new challenge.',
    { retryAfter },
  );

const MAX_TENANTS = 20_000;

/** The budgets of a tenant: its users may use as much of the first one as they leave to the applications themselves. */
interface TenantBudgets {
  readonly tenant: ContractCheckBudget;
  readonly users: ContractCheckBudget;
}

/**
 * Limits signature checks by contract wallets per tenant, for its users, and per chain. Callers choose the contracts, and a
 * malicious one keeps a node busy for seconds.
 */
@Injectable()
export class ContractCheckLimiter {
  private readonly perTenant: ContractCheckBudgetSize;
  private readonly perChain: ContractCheckBudgetSize;
  private readonly tenants = new LRUCache<string, TenantBudgets>(boundEntries(MAX_TENANTS));
  private readonly chains = new Map<number, ContractCheckBudget>();
  private readonly refused: Counter<'limit'>;

  constructor(
    config: ContractCheckConfig,
    private readonly budgetKeys: BudgetKeyQueries,
    { metrics }: ServiceContext,
  ) {
    this.perTenant = {
      maxConcurrent: config.TENANT_CONTRACT_CHECKS,
      maxPerMinute: config.TENANT_CONTRACT_CHECKS_A_MINUTE,
    };
    this.perChain = {
      maxConcurrent: config.CHAIN_CONTRACT_CHECKS,
      maxPerMinute: config.CHAIN_CONTRACT_CHECKS_A_MINUTE,
    };
    this.refused = new Counter({
      name: 'identity_contract_checks_refused_total',
      help: 'Signature checks by contract wallets refused by a limit of the tenant, of its users or of the chain.',
      labelNames: ['limit'],
      registers: [metrics.registry],
    });
  }

  /** @param chainId a chain with nodes. @returns a function that releases the check. @throws AppError 429 */
  async acquire(requester: CheckRequester, chainId: number): Promise<() => void> {
    const { tenant, users } = this.getTenantBudgets(await this.budgetKeys.loadBudgetKey(requester));
    const chain = this.chains.get(chainId) ?? new ContractCheckBudget(this.perChain);
    this.chains.set(chainId, chain);
    this.check('tenant', tenant.limitExceeded());
    if (requester.isUser) this.check('users', tenant.limitExceededFor(users));
    this.check('chain', chain.limitExceededFor(tenant));
    const taken = requester.isUser ? [tenant, users, chain] : [tenant, chain];
    for (const budget of taken) budget.acquire();
    return () => {
      for (const budget of taken) budget.release();
    };
  }

  private getTenantBudgets(key: string): TenantBudgets {
    const budgets = this.tenants.get(key) ?? {
      tenant: new ContractCheckBudget(this.perTenant),
      users: new ContractCheckBudget(this.perTenant),
    };
    this.tenants.set(key, budgets);
    return budgets;
  }

  private check(budget: 'tenant' | 'users' | 'chain', exceeded: LimitExceeded | undefined): void {
    if (!exceeded) return;
    this.refused.inc({ limit: `${budget}_${exceeded.limit}` });
    throw contractCheckLimitExceeded(exceeded.retryAfter);
  }
}
