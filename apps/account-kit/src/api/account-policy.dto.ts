import { createHash } from 'node:crypto';
import { z } from 'zod';
import { EXAMPLES } from '@app/dto';
import { policySchema } from '../policies/rules/policy.js';

const MAX_AUDITED_LENGTH = 4_096;

/** What the audit log keeps of a policy: its JSON, or the hash of a long one. */
export const toPolicyDetails = (document: string): Record<string, unknown> =>
  document.length <= MAX_AUDITED_LENGTH
    ? { policy: JSON.parse(document) as unknown }
    : { sha256: createHash('sha256').update(document).digest('hex') };

const SCHEMA_ID = 'AccountPolicy';

export const accountPolicy = policySchema.meta({
  id: SCHEMA_ID,
  description:
    'What smart accounts may do for a client application. What it does not name is refused; docs/guides/account-kit.md explains the fields.',
  example: { calls: [{ chainId: 31337, target: 'any', selectors: ['0x'] }], maxValue: '1000' },
});
export type AccountPolicy = z.output<typeof accountPolicy>;

/** Documented as the request is: what is stored is JSON in its form, with amounts as text. */
const storedPolicy = z.looseObject({}).meta({ documentAs: { $ref: `#/components/schemas/${SCHEMA_ID}` } });

export const accountPolicyResponse = z
  .object({
    policy: storedPolicy,
    changedAt: z.iso.datetime(),
    revision: z.string().meta({ description: 'Differs for each content; for `revision` of a change' }),
  })
  .meta({ id: 'AccountPolicyResponse' });
export type AccountPolicyResponse = z.output<typeof accountPolicyResponse>;

export const policyParams = z.object({
  clientId: z.string().min(1).max(128).meta({ example: EXAMPLES.clientId }),
});
export type PolicyParams = z.output<typeof policyParams>;

export const policyRevisionQuery = z.object({
  revision: z.string().min(1).max(64).optional().meta({
    description:
      'The `revision` of the policy that this change is based on, or `none` where there was none. Without it the last writer wins.',
  }),
});
export type PolicyRevisionQuery = z.output<typeof policyRevisionQuery>;
