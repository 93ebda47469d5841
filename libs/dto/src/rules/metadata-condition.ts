import { z } from 'zod';
import { metadataQuery } from './metadata-query.js';
import type { RuleFields } from './rule-fields.js';
import type { RuleTypeName } from './rule-types.js';

const TYPES_WITH_METADATA: readonly RuleTypeName[] = ['ERC721', 'ERC1155', 'SOLANA_NFT'];
/** Characters of the variables as JSON. They are copied for each document. */
const MAX_VARIABLES_LENGTH = 10_000;

/** Fields of rules that count a token only when its metadata matches. */
export const metadataFields = {
  query: metadataQuery.optional(),
  variables: z
    .looseObject({})
    .refine(
      (variables) => JSON.stringify(variables).length <= MAX_VARIABLES_LENGTH,
      `must have at most ${MAX_VARIABLES_LENGTH} characters as JSON`,
    )
    .optional(),
};

/**
 * Removes `query` and `variables` where they are not read. Rejects, also of stored rules, a restriction that could not be
 * checked: the rule would grant too much without it.
 */
export function resolveMetadataFields(fields: RuleFields, { addIssue }: z.RefinementCtx): RuleFields {
  const { query } = fields;
  if (fields.requiresMetadata !== true) return removeMetadataFields(fields);
  if (fields.type !== undefined && !TYPES_WITH_METADATA.includes(fields.type)) {
    const message = `is not supported by ${fields.type} rules, which would grant too much without it`;
    addIssue({ code: 'custom', path: ['requiresMetadata'], message });
    return z.NEVER;
  }
  if (query !== undefined) return fields;
  addIssue({ code: 'custom', path: ['query'], message: 'is required with requiresMetadata: true' });
  return z.NEVER;
}

/** Copies nothing where there is nothing to remove, as in most rules. */
function removeMetadataFields(fields: RuleFields): RuleFields {
  if (fields.query === undefined && fields.variables === undefined) return fields;
  const { query: _, variables: __, ...rest } = fields;
  return rest;
}
