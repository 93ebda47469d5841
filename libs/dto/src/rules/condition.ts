import type { TokenGatingRule } from './token-gating-rule.js';

/** A condition for a role. Compositions use three-valued logic, because a rule may be undetermined. */
export type Condition =
  | { readonly kind: 'rule'; readonly rule: TokenGatingRule }
  | { readonly kind: 'allOf' | 'anyOf'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition };

/** An entry of a community's rules. A role is granted when at least one of its entries is satisfied. */
export interface RoleRule {
  readonly roleId: string;
  readonly condition: Condition;
}

/** A rule and its path within the entries, such as `2.allOf.0`. */
export interface RuleWithPath {
  readonly path: string;
  readonly rule: TokenGatingRule;
}

/** All rules of the entries, in order, with their paths. */
export const collectRulesWithPaths = (rules: readonly RoleRule[]): RuleWithPath[] =>
  rules.flatMap(({ condition }, index) => collectFromCondition(condition, String(index)));

/** All rules of the entries, in order. */
export const collectRules = (rules: readonly RoleRule[]): TokenGatingRule[] =>
  collectRulesWithPaths(rules).map(({ rule }) => rule);

function collectFromCondition(condition: Condition, path: string): RuleWithPath[] {
  switch (condition.kind) {
    case 'rule':
      return [{ path, rule: condition.rule }];
    case 'not':
      return collectFromCondition(condition.of, `${path}.not`);
    default: {
      const { kind, of } = condition;
      return of.flatMap((one, index) => collectFromCondition(one, `${path}.${kind}.${index}`));
    }
  }
}
