/** Dotted path in the request body of the rule at an index. */
export type RulePathFormatter = (index: number) => string;

/** Path of a rule in a plain list. */
export const formatRulePath: RulePathFormatter = (index) => `rules.${index}`;
