import { DAY_MS } from '@app/common';
import { type Scope, SCOPES } from '@app/dto';
import { z } from 'zod';
import { keyName } from '../../applications/credentials/credential.dto.js';
import type { KeyTerms } from '../../applications/entities/api-key.entity.js';
import type { KeyFormView } from '../views/application-views.js';
import { type FormFields, oneTimeForm, SELECTABLE_SCOPES } from './application-form.js';

/** When a new key ends, the default first. */
const ENDS = [
  { value: 'never', label: 'never: until you revoke it', days: undefined },
  { value: '30', label: 'in 30 days', days: 30 },
  { value: '90', label: 'in 90 days', days: 90 },
  { value: '365', label: 'in a year', days: 365 },
] as const;

export const newKeyForm = oneTimeForm.catchall(z.string());
export type NewKeyForm = z.output<typeof newKeyForm>;

const keyFields = z.object({
  keyName: z.string({ error: 'must not be empty' }).trim().pipe(keyName),
  keyEnd: z.enum(ENDS.map(({ value }) => value)).default('never'),
  keyAccess: z.enum(['all', 'some']).default('all'),
});

const toField = (scope: Scope): string => `key.${scope}`;

const listChecked = (fields: FormFields): Scope[] =>
  SELECTABLE_SCOPES.filter((scope) => fields[toField(scope)] === 'on');

type KeyFormResult =
  | { readonly ok: true; readonly terms: KeyTerms }
  /** Validation errors by field. */
  | { readonly ok: false; readonly problems: Record<string, string> };

/** @param fields of the form; empty ones are absent */
export function parseKeyForm(fields: FormFields): KeyFormResult {
  const parsed = keyFields.safeParse(fields);
  const scopes = listChecked(fields);
  const problems = Object.fromEntries(
    (parsed.error?.issues ?? []).map(({ path: [field], message }) => [String(field), `This ${message}.`]),
  );
  if (fields['keyAccess'] === 'some' && scopes.length === 0)
    problems['keyAccess'] = 'Select at least one thing that the key may do.';
  if (!parsed.success || Object.keys(problems).length > 0) return { ok: false, problems };
  const { keyName: name, keyEnd, keyAccess } = parsed.data;
  const days = ENDS.find(({ value }) => value === keyEnd)?.days;
  return {
    ok: true,
    terms: {
      name,
      scopes: keyAccess === 'all' ? null : scopes,
      expiresAt: days === undefined ? null : new Date(Date.now() + days * DAY_MS),
    },
  };
}

/**
 * The form for a new key of an application.
 * @param scopes that the application requests
 * @param fields the submitted form, with its validation errors
 */
export function toKeyFormView(
  scopes: readonly Scope[],
  fields: FormFields = {},
  problems: Record<string, string> = {},
): KeyFormView {
  const checked = listChecked(fields);
  return {
    name: fields['keyName'] ?? '',
    isNarrow: fields['keyAccess'] === 'some',
    end: fields['keyEnd'] ?? 'never',
    ends: ENDS,
    scopes: SELECTABLE_SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => ({
      field: toField(scope),
      scope,
      label: SCOPES[scope],
      checked: checked.includes(scope),
    })),
    problems,
  };
}
