import { Injectable } from '@nestjs/common';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import {
  createRuleNames,
  describeRule,
  type RuleNames,
  toLine,
  withContracts,
} from '../rules/rule-sentence.js';

/** Loads what rules are put into words with. */
@Injectable()
export class RuleWordsService {
  constructor(private readonly client: PortalCommunitiesClient) {}

  /** The names of the deployment's chains. @throws AppError 503 */
  async loadNames(): Promise<RuleNames> {
    return createRuleNames((await this.client.loadCatalogue()).chains);
  }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A rule or a condition in one line with the contracts that are meant, such as `Hold at least 1 ETH on Ethereum`. */
export const describeRuleLine = (rule: unknown, names: RuleNames): string =>
  capitalize(toLine(withContracts(describeRule(rule, names))));

/** The first line of a rule of several conditions, such as `Meet all of these:`. */
export const describeRuleHead = (rule: unknown, names: RuleNames): string =>
  capitalize(describeRule(rule, names).text);
