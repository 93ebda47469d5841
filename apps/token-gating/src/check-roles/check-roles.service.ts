import type { TokenGatingRequest, TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { EvmChains } from '../chains/evm-chains.js';
import { TokenLists } from '../token-lists/token-lists.js';
import { listOf } from '../rules/readable-rule.js';
import { checkChains } from './check-chains.js';
import { checkReadBudget } from './check-read-budget.js';
import { checkTokenLists } from './check-token-lists.js';
import { CheckRolesMetrics } from './check-roles-metrics.js';
import { judgeRules } from './judge-rules.js';
import { loadHolder } from './load-holder.js';
import { loadTokenLists } from './load-token-lists.js';
import { mergeRoles } from './merge-roles.js';
import { planRules } from './plan-rules.js';
import { readPlans } from './read-plans.js';
import { renderAnswer } from './render-answer.js';

export interface CheckRolesOptions {
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
    private readonly metrics: CheckRolesMetrics,
  ) {}

  /** What can be said about a request without asking a node. @throws AppError 400 or 404 */
  checkRequest({ account, rules }: TokenGatingRequest): void {
    checkChains(rules, this.chains);
    checkReadBudget(rules);
    checkTokenLists(rules, this.lists);
    loadHolder(account);
  }

  async check(request: TokenGatingRequest, { lenient }: CheckRolesOptions): Promise<TokenGatingResponse> {
    const { account, rules } = request;
    this.checkRequest(request);
    const holder = loadHolder(account);

    // The reader keeps its own time; only what lists have taken of it has to be told.
    const signal = rules.some(listOf) ? AbortSignal.timeout(BUDGET_MS) : undefined;
    const loaded = holder ? await loadTokenLists(rules, this.lists) : [];
    const planned = planRules(rules, loaded, holder, this.chains);
    const outcomes = await readPlans(planned, this.chains, { signal });
    const verdicts = judgeRules(planned, outcomes);
    this.metrics.observe(planned, verdicts);
    return renderAnswer(mergeRoles(rules, verdicts), lenient);
  }
}
