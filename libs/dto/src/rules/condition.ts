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

/** A rule within a condition, and where it stands: `2.allOf.0`. */
export interface RuleWithPath {
  readonly path: string;
  readonly rule: TokenGatingRule;
}

/** Every rule that has to be read to judge the entries, in the order in which they are written, with its place. */
export const collectRulesWithPaths = (rules: readonly RoleRule[]): RuleWithPath[] =>
  rules.flatMap(({ condition }, index) => collectFromCondition(condition, String(index)));

/** The same without the places. */
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
