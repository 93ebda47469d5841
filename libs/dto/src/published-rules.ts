import { z } from 'zod';
import { ruleEntry } from './rules/rule-tree.js';
import { limitRules } from './rules/token-gating-request.js';

export const MAX_PUBLISHED_RULES = 50;

export const publishedRuleName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'must be 1 to 64 letters, digits or _ -, a letter or digit first',
  );

/** Counts what the rules hold before any of them is parsed, as check-roles does. */
function limitPublished(published: unknown, context: z.RefinementCtx): unknown {
  if (!Array.isArray(published)) return published;
  const rules = published.map((each: unknown) =>
    typeof each === 'object' && each !== null && 'rule' in each ? each.rule : undefined,
  );
  return limitRules(rules, context) === z.NEVER ? z.NEVER : published;
}

/** All rules that an application publishes. */
export const publishedRuleList = z.preprocess(
  limitPublished,
  z
    .array(z.strictObject({ name: publishedRuleName, rule: ruleEntry }))
    .max(MAX_PUBLISHED_RULES, `must hold at most ${MAX_PUBLISHED_RULES} rules`)
    .refine(
      (rules) => new Set(rules.map(({ name }) => name)).size === rules.length,
      'must not use a name twice',
    ),
);
