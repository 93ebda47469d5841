import type { TokenGatingRule } from './token-gating-rule.js';

/** What has to be true of a member for a role. Conditions within conditions are composed with three values. */
export type Condition =
  | { readonly kind: 'rule'; readonly rule: TokenGatingRule }
  | { readonly kind: 'allOf' | 'anyOf'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition };

/** One entry of a community's rules. A role is granted when one of its entries is. */
export interface RoleRule {
  readonly roleId: string;
  readonly condition: Condition;
}

/** Every rule that has to be read to judge the entries, in the order in which they are written. */
export const leavesOf = (rules: readonly RoleRule[]): TokenGatingRule[] =>
  rules.flatMap(({ condition }) => leavesOfCondition(condition));

function leavesOfCondition(condition: Condition): TokenGatingRule[] {
  switch (condition.kind) {
    case 'rule':
      return [condition.rule];
    case 'not':
      return leavesOfCondition(condition.of);
    default:
      return condition.of.flatMap(leavesOfCondition);
  }
}
