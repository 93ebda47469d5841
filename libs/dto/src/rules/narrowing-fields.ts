import type { RuleFields } from './rule-fields.js';

/** Fields that make a rule stricter than its type alone, with the test whether they ask for anything. */
const NARROWING = {
  scheme: ({ scheme }) => Boolean(scheme),
  query: ({ query }) => Boolean(query),
  variables: ({ variables }) => Object.keys(variables ?? {}).length > 0,
  requiresMetadata: ({ requiresMetadata }) => requiresMetadata === true,
} satisfies Partial<Record<keyof RuleFields, (fields: RuleFields) => boolean>>;

/**
 * The first field that asks for more than is checked yet. To ignore it would grant roles to those whom the rule means to
 * keep out.
 */
export function unsupportedNarrowing(fields: RuleFields): keyof RuleFields | undefined {
  const names = Object.keys(NARROWING) as (keyof typeof NARROWING)[];
  return names.find((name) => NARROWING[name](fields));
}
