/** Where the rule of an index stands in the body of the request, dotted. */
export type RulePathFormatter = (index: number) => string;

/** Where rules are a plain list. */
export const formatRulePath: RulePathFormatter = (index) => `rules.${index}`;
