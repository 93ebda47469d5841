import { z } from 'zod';
import { findConflictingField, parseCaip19Asset } from './caip19-asset.js';
import { erc1155Rule } from './erc1155-rule.js';
import { erc20Rule } from './erc20-rule.js';
import { erc721Rule } from './erc721-rule.js';
import { nativeRule } from './native-rule.js';
import { ruleFields, type RuleFields } from './rule-fields.js';

/** Fields that make a rule stricter than its type alone, with the test whether they ask for anything. */
const UNSUPPORTED_FIELDS = {
  scheme: ({ scheme }) => Boolean(scheme),
  query: ({ query }) => Boolean(query),
  variables: ({ variables }) => Object.keys(variables ?? {}).length > 0,
  requiresMetadata: ({ requiresMetadata }) => requiresMetadata === true,
} satisfies Partial<Record<keyof RuleFields, (fields: RuleFields) => boolean>>;

/**
 * The first field that asks for more than is checked yet. To ignore it would grant roles to those whom the rule means to
 * keep out.
 */
export function findUnsupportedField(fields: RuleFields): keyof RuleFields | undefined {
  const names = Object.keys(UNSUPPORTED_FIELDS) as (keyof typeof UNSUPPORTED_FIELDS)[];
  return names.find((name) => UNSUPPORTED_FIELDS[name](fields));
}

const typedRule = z.discriminatedUnion('type', [nativeRule, erc20Rule, erc721Rule, erc1155Rule], {
  error: 'is required: one of NATIVE, ERC20, ERC721, ERC1155, or an asset that says it',
});

/** A rule as callers write it, read as one of the types. */
export const tokenGatingRule = ruleFields.transform(resolveAsset).pipe(typedRule);
export type TokenGatingRule = z.output<typeof tokenGatingRule>;

/** Fields that are absent are taken from `asset`; those that are present must agree with it. */
function resolveAsset(fields: RuleFields, context: z.RefinementCtx): RuleFields {
  const refuse = (path: keyof RuleFields, message: string) => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  const narrowing = findUnsupportedField(fields);
  if (narrowing)
    return refuse(narrowing, 'is not supported yet, and the rule would grant too much without it');
  if (fields.asset === undefined) return fields;
  const asset = parseCaip19Asset(fields.asset);
  if (typeof asset === 'string') return refuse('asset', asset);
  const differs = findConflictingField(fields, asset);
  if (differs !== undefined) return refuse('asset', `does not agree with ${differs}`);
  return { ...fields, ...asset, tokenId: asset.tokenId ?? fields.tokenId };
}
