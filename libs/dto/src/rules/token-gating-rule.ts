import { z } from 'zod';
import { disagreement, readAsset } from './asset.js';
import { erc1155Rule } from './erc1155.js';
import { erc20Rule } from './erc20.js';
import { erc721Rule } from './erc721.js';
import { nativeRule } from './native.js';
import { unsupportedNarrowing } from './narrowing-fields.js';
import { ruleFields, type RuleFields } from './rule-fields.js';

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
  const narrowing = unsupportedNarrowing(fields);
  if (narrowing)
    return refuse(narrowing, 'is not supported yet, and the rule would grant too much without it');
  if (fields.asset === undefined) return fields;
  const asset = readAsset(fields.asset);
  if (typeof asset === 'string') return refuse('asset', asset);
  const differs = disagreement(fields, asset);
  if (differs !== undefined) return refuse('asset', `does not agree with ${differs}`);
  return { ...fields, ...asset, tokenId: asset.tokenId ?? fields.tokenId };
}
