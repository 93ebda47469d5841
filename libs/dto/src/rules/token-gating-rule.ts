import { z } from 'zod';
import { findConflictingField, parseCaip19Asset } from './caip19-asset.js';
import { erc1155Rule } from './erc1155-rule.js';
import { erc20Rule } from './erc20-rule.js';
import { erc721Rule } from './erc721-rule.js';
import { nativeRule } from './native-rule.js';
import { ruleFields, type RuleFields } from './rule-fields.js';
import { RULE_TYPES } from './rule-types.js';
import { solanaFtRule } from './solana-ft-rule.js';

/** Fields that make a rule stricter, each with a test whether its value does. */
const UNSUPPORTED_FIELDS = {
  scheme: ({ scheme }) => Boolean(scheme),
  query: ({ query }) => Boolean(query),
  variables: ({ variables }) => Object.keys(variables ?? {}).length > 0,
  requiresMetadata: ({ requiresMetadata }) => requiresMetadata === true,
} satisfies Partial<Record<keyof RuleFields, (fields: RuleFields) => boolean>>;

/** The first field that is not implemented. Ignoring it would grant roles that the rule excludes. */
export function findUnsupportedField(fields: RuleFields): keyof RuleFields | undefined {
  const names = Object.keys(UNSUPPORTED_FIELDS) as (keyof typeof UNSUPPORTED_FIELDS)[];
  return names.find((name) => UNSUPPORTED_FIELDS[name](fields));
}

const typedRule = z.discriminatedUnion(
  'type',
  [nativeRule, erc20Rule, erc721Rule, erc1155Rule, solanaFtRule],
  {
    error: `is required: one of ${RULE_TYPES.join(', ')}, or an asset that says it`,
  },
);

/** Parses a submitted rule as one of the rule types. */
export const tokenGatingRule = ruleFields.transform(resolveAsset).pipe(typedRule);
export type TokenGatingRule = z.output<typeof tokenGatingRule>;

/** Takes absent fields from `asset`; present fields must agree with it. */
function resolveAsset(fields: RuleFields, context: z.RefinementCtx): RuleFields {
  const reject = (path: keyof RuleFields, message: string) => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  const unsupported = findUnsupportedField(fields);
  if (unsupported)
    return reject(unsupported, 'is not supported yet, and the rule would grant too much without it');
  if (fields.asset === undefined) return fields;
  const asset = parseCaip19Asset(fields.asset);
  if (typeof asset === 'string') return reject('asset', asset);
  const conflicting = findConflictingField(fields, asset);
  if (conflicting !== undefined) return reject('asset', `does not agree with ${conflicting}`);
  return { ...fields, ...asset, tokenId: asset.tokenId ?? fields.tokenId };
}
