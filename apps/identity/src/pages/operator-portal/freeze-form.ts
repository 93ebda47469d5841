import { freezeId, freezeReason, type SetFreezeRequest } from '@app/dto';
import { z } from 'zod';
import type { FormFields } from '../portal/application-form.js';

const SCOPES = ['account', 'application', 'chain', 'paymaster', 'everything'] as const;

const freezeFields = z.object({
  scope: z.enum(SCOPES, { error: 'Select what to freeze.' }),
  subject: z.string().trim().default(''),
  reason: freezeReason,
});

export type FreezeFormResult =
  | { ok: true; request: SetFreezeRequest }
  /** Validation errors by field. */
  | { ok: false; problems: Record<string, string> };

const SUBJECT_PROBLEMS: Readonly<Record<(typeof SCOPES)[number], string>> = {
  account: 'This must be the EVM or Solana address of a smart account.',
  application: 'This must be a client ID.',
  chain: 'This must be a chain ID, SOL or SOL_DEVNET.',
  paymaster: 'This must be the ID of the chain.',
  everything: 'Leave this empty.',
};

export function parseFreezeForm(fields: FormFields): FreezeFormResult {
  const parsed = freezeFields.safeParse(fields);
  if (!parsed.success)
    return {
      ok: false,
      problems: Object.fromEntries(
        parsed.error.issues.map(({ path: [field], message }) => [
          String(field),
          field === 'reason' ? 'This must have 1 to 500 characters, on one line.' : message,
        ]),
      ),
    };
  const { scope, subject, reason } = parsed.data;
  const id = freezeId.safeParse(subject === '' ? scope : `${scope}:${subject}`);
  return id.success
    ? { ok: true, request: { freezeId: id.data, reason } }
    : { ok: false, problems: { subject: SUBJECT_PROBLEMS[scope] } };
}
