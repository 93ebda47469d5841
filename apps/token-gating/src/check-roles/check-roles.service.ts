import type { TokenGatingRequest, TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { EvmChains } from '../chains/evm-chains.js';
import type { Holders } from '../holders/holders.js';
import { UserHolders } from '../holders/user-holders.js';
import { toWalletsFailure } from '../holders/wallets-failure.js';
import { listOf } from '../rules/readable-rule.js';
import { TokenLists } from '../token-lists/token-lists.js';
import type { Asker } from './asker.js';
import { checkChains } from './check-chains.js';
import { checkReadBudget, MOST_READS } from './check-read-budget.js';
import { checkTokenLists } from './check-token-lists.js';
import { CheckRolesMetrics } from './check-roles-metrics.js';
import { judgeRules } from './judge-rules.js';
import { loadHolders } from './load-holders.js';
import { loadTokenLists } from './load-token-lists.js';
import { mergeRoles } from './merge-roles.js';
import { failedRule, type PlannedRule, planRules } from './plan-rules.js';
import { readPlans } from './read-plans.js';
import { renderAnswer } from './render-answer.js';

export interface CheckRolesOptions {
  readonly asker: Asker;
  /** Transient failures are answered as errors beside the roles instead of as 503. */
  readonly lenient: boolean;
}

/** contract.md section 5, for everything that a check waits for. */
const BUDGET_MS = 10_000;

/** Does this account satisfy these rules? Everything about the request is checked before any node is asked. */
@Injectable()
export class CheckRolesService {
  constructor(
    private readonly chains: EvmChains,
    private readonly lists: TokenLists,
    private readonly users: UserHolders,
    private readonly metrics: CheckRolesMetrics,
  ) {}

  /** What can be said about a request without asking anybody. @throws AppError 400 */
  checkRequest({ rules }: Pick<TokenGatingRequest, 'rules'>): void {
    checkChains(rules, this.chains);
    checkReadBudget(rules, 1);
    checkTokenLists(rules, this.lists);
  }

  /**
   * What can be said without asking a node: also whether the account is the asker's to have checked.
   * @throws AppError 400, 404, or 503 while identity cannot be asked
   */
  async checkAccount({ account, rules }: TokenGatingRequest, asker: Asker): Promise<void> {
    if (account.family !== 'user') return;
    const { most } = await loadHolders(account, asker, this.users);
    checkReadBudget(rules, most);
  }

  async check(
    request: TokenGatingRequest,
    { asker, lenient }: CheckRolesOptions,
  ): Promise<TokenGatingResponse> {
    const { account, rules } = request;
    this.checkRequest(request);
    const asksOthers = account.family === 'user' || rules.some(listOf);
    // The reader keeps its own time; only what others have taken of it has to be told.
    const signal = asksOthers ? AbortSignal.timeout(BUDGET_MS) : undefined;
    const loading = loadHolders(account, asker, this.users);
    const holders = loading instanceof Promise ? await loading.catch(toWalletsFailure) : loading;
    const planned =
      'code' in holders ? rules.map((rule) => failedRule(rule, holders)) : await this.plan(rules, holders);
    const outcomes = await readPlans(planned, this.chains, { signal });
    const verdicts = judgeRules(planned, outcomes);
    this.metrics.observe(planned, verdicts);
    return renderAnswer(mergeRoles(rules, verdicts), lenient);
  }

  /** @throws AppError 400 when so many wallets make too many reads */
  private async plan(rules: TokenGatingRequest['rules'], holders: Holders): Promise<PlannedRule[]> {
    const { most } = holders;
    if (most > 1) checkReadBudget(rules, most);
    const loaded =
      most > 0 ? await loadTokenLists(rules, this.lists, { holders: most, most: MOST_READS }) : [];
    return planRules(rules, loaded, holders, this.chains);
  }
}
