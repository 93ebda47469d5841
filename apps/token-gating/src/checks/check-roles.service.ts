import type { TokenGatingRequest, TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { EvmChainService } from '../rules/chains/evm-chain.service.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { UserAddressesService } from '../subjects/user-addresses.service.js';
import { toWalletLookupFailure } from '../rules/wallet-lookup-failure.js';
import { getTokenList } from '../rules/resolved-rule.js';
import { TokenListService } from './token-lists/token-list.service.js';
import type { Requester } from '../subjects/requester.js';
import { checkChains } from './check-chains.js';
import { checkReadBudget, MAX_READS } from './check-read-budget.js';
import { checkTokenLists } from './token-lists/check-token-lists.js';
import { CheckRolesMetrics } from './check-roles-metrics.js';
import { loadSubjectAddresses } from '../subjects/load-subject-addresses.js';
import { loadTokenLists } from './token-lists/load-token-lists.js';
import { mergeRoles } from './merge-roles.js';
import { planFailedRule, type PlannedRule, planRules } from './plan-rules.js';
import { readPlans, type PlanOutcomes } from './read-plans.js';
import { toTokenGatingResponse } from './to-token-gating-response.js';
import { NOT_GRANTED, type Verdict } from '../rules/verdict.js';

/** One verdict per rule, in order. */
export function judgeRules(planned: readonly PlannedRule[], outcomes: readonly PlanOutcomes[]): Verdict[] {
  return planned.map(({ plan }, index) => plan?.judge(outcomes[index] ?? []) ?? NOT_GRANTED);
}

export interface CheckRolesOptions {
  readonly requester: Requester;
  /** Transient failures are answered as errors beside the roles instead of as 503. */
  readonly lenient: boolean;
}

/** contract.md section 5, for everything that a check waits for. */
const BUDGET_MS = 10_000;

/** Does this account satisfy these rules? Everything about the request is checked before any node is asked. */
@Injectable()
export class CheckRolesService {
  constructor(
    private readonly chains: EvmChainService,
    private readonly lists: TokenListService,
    private readonly users: UserAddressesService,
    private readonly metrics: CheckRolesMetrics,
  ) {}

  /** What can be said about a request without asking anybody. @throws AppError 400 */
  validateRequest({ rules }: Pick<TokenGatingRequest, 'rules'>): void {
    checkChains(rules, this.chains);
    checkReadBudget(rules, 1);
    checkTokenLists(rules, this.lists);
  }

  /**
   * What can be said without asking a node: also whether the account is the asker's to have checked.
   * @throws AppError 400, 404, or 503 while identity cannot be asked
   */
  async validateAccount({ account, rules }: TokenGatingRequest, asker: Requester): Promise<void> {
    if (account.family !== 'user') return;
    const { maxCount } = await loadSubjectAddresses(account, asker, this.users);
    checkReadBudget(rules, maxCount);
  }

  async checkRoles(
    request: TokenGatingRequest,
    { requester, lenient }: CheckRolesOptions,
  ): Promise<TokenGatingResponse> {
    const { account, rules } = request;
    this.validateRequest(request);
    const asksOthers = account.family === 'user' || rules.some(getTokenList);
    // The reader keeps its own time; only what others have taken of it has to be told.
    const signal = asksOthers ? AbortSignal.timeout(BUDGET_MS) : undefined;
    const loading = loadSubjectAddresses(account, requester, this.users);
    const holders = loading instanceof Promise ? await loading.catch(toWalletLookupFailure) : loading;
    const planned =
      'code' in holders
        ? rules.map((rule) => planFailedRule(rule, holders))
        : await this.plan(rules, holders);
    const outcomes = await readPlans(planned, this.chains, { signal });
    const verdicts = judgeRules(planned, outcomes);
    this.metrics.observe(planned, verdicts);
    return toTokenGatingResponse(mergeRoles(rules, verdicts), lenient);
  }

  /** @throws AppError 400 when so many wallets make too many reads */
  private async plan(rules: TokenGatingRequest['rules'], holders: SubjectAddresses): Promise<PlannedRule[]> {
    const { maxCount } = holders;
    if (maxCount > 1) checkReadBudget(rules, maxCount);
    const loaded =
      maxCount > 0
        ? await loadTokenLists(rules, this.lists, { addressCount: maxCount, maxReads: MAX_READS })
        : [];
    return planRules(rules, loaded, holders, this.chains);
  }
}
