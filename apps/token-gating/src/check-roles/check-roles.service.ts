import type { TokenGatingRequest, TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { EvmChains } from '../chains/evm-chains.js';
import { checkChains } from './check-chains.js';
import { checkReadBudget } from './check-read-budget.js';
import { CheckRolesMetrics } from './check-roles-metrics.js';
import { judgeRules } from './judge-rules.js';
import { loadHolder } from './load-holder.js';
import { mergeRoles } from './merge-roles.js';
import { planRules } from './plan-rules.js';
import { readPlans } from './read-plans.js';
import { refuseAsynchronous } from './refuse-asynchronous.js';
import { renderAnswer } from './render-answer.js';

export interface CheckRolesOptions {
  /** Transient failures are answered as errors beside the roles instead of as 503. */
  readonly lenient: boolean;
}

/** Does this account satisfy these rules? Everything about the request is checked before any node is asked. */
@Injectable()
export class CheckRolesService {
  constructor(
    private readonly chains: EvmChains,
    private readonly metrics: CheckRolesMetrics,
  ) {}

  async check(request: TokenGatingRequest, { lenient }: CheckRolesOptions): Promise<TokenGatingResponse> {
    const { account, rules } = request;
    checkChains(rules, this.chains);
    checkReadBudget(rules);
    refuseAsynchronous(request);
    const holder = loadHolder(account);

    const planned = planRules(rules, holder, this.chains);
    const outcomes = await readPlans(planned, this.chains);
    const verdicts = judgeRules(planned, outcomes);
    this.metrics.observe(planned, verdicts);
    return renderAnswer(mergeRoles(rules, verdicts), lenient);
  }
}
