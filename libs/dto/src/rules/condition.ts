import type { TokenGatingRule } from './token-gating-rule.js';

/** A condition for a role. Compositions use three-valued logic, because a rule may be undetermined. */
export type Condition =
  | { readonly kind: 'rule'; readonly rule: TokenGatingRule }
  | { readonly kind: 'allOf' | 'anyOf'; readonly of: readonly Condition[] }
  | { readonly kind: 'atLeast'; readonly count: number; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition };

/** An entry of a community's rules, or a tree of check-roles. A role is granted when at least one of its entries is satisfied. */
export interface RoleRule {
  readonly roleId: string;
  readonly condition: Condition;
}

/** A rule and its path within the entries, such as `2.allOf.0`. */
export interface RuleWithPath {
  readonly path: string;
  readonly rule: TokenGatingRule;
  /** Whether an odd number of `not` is around the rule. */
  readonly isNegated: boolean;
}

/** All rules of the entries, in order, with their paths. */
export const collectRulesWithPaths = (rules: readonly RoleRule[]): RuleWithPath[] =>
  rules.flatMap(({ condition }, index) => listRulesOf(condition, String(index)));

/** All rules of the entries, in order. */
export const collectRules = (rules: readonly RoleRule[]): TokenGatingRule[] =>
  collectRulesWithPaths(rules).map(({ rule }) => rule);

/** The rules of a condition, in order. @param path of the condition; empty for paths that begin in it, such as `allOf.0` */
export function listRulesOf(condition: Condition, path = ''): RuleWithPath[] {
  const found: RuleWithPath[] = [];
  addRulesOf(condition, path, false, found);
  return found;
}

function addRulesOf(condition: Condition, path: string, isNegated: boolean, found: RuleWithPath[]): void {
  if (condition.kind === 'rule') {
    found.push({ path, rule: condition.rule, isNegated });
    return;
  }
  const areNegated = isNegated !== (condition.kind === 'not');
  for (const part of listParts(condition))
    addRulesOf(part.condition, joinPath(path, part.path), areNegated, found);
}

export const joinPath = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);

/** The conditions of which a condition is composed, with the path from it to each, such as `allOf.0` or `atLeast.of.1`. */
export function listParts(condition: Condition): { readonly path: string; readonly condition: Condition }[] {
  switch (condition.kind) {
    case 'rule':
      return [];
    case 'not':
      return [{ path: 'not', condition: condition.of }];
    case 'allOf':
    case 'anyOf':
    case 'atLeast': {
      const list = condition.kind === 'atLeast' ? 'atLeast.of' : condition.kind;
      return condition.of.map((part, index) => ({ path: `${list}.${index}`, condition: part }));
    }
  }
}
