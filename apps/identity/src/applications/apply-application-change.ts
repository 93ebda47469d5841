import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '@app/dto';
import { checkRedirectUris } from './check-redirect-uris.js';
import type { ClientApplication } from './entities/client-application.entity.js';
import { type ApprovalState, updateApprovalState } from './approval-state.js';

type ChangeableFields = Pick<
  ClientApplication,
  | 'name'
  | 'iconUrl'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'origins'
  | 'implicit'
  | 'idTokenAlg'
  | 'tokenResponse'
>;

/** A change by the owner. Omitted fields keep their values. */
export type ApplicationChange = Partial<ChangeableFields> & { scopes?: Scope[] };

export interface AppliedApplicationChange {
  /** Only the fields whose values differ, for the audit record. */
  details: ApplicationChange;
  record: Partial<ChangeableFields> & ApprovalState;
}

/** Fields that an operator reviews: how users recognise an application, and where it redirects them. */
const REVIEWED_FIELDS: readonly (keyof ChangeableFields)[] = [
  'name',
  'iconUrl',
  'redirectUris',
  'postLogoutRedirectUris',
  'origins',
];

const CHANGEABLE_FIELDS: readonly (keyof ChangeableFields)[] = [
  ...REVIEWED_FIELDS,
  'implicit',
  'idTokenAlg',
  'tokenResponse',
];

/** @throws AppError 400 for a redirect URI that is not for the application's type */
export function applyApplicationChange(
  before: ClientApplication,
  { scopes, ...fields }: ApplicationChange,
): AppliedApplicationChange {
  checkRedirectUris(before.type, fields.redirectUris);
  checkRedirectUris(before.type, fields.postLogoutRedirectUris, 'postLogoutRedirectUris');
  const changedFields = Object.fromEntries(
    CHANGEABLE_FIELDS.filter(
      (field) => fields[field] !== undefined && !isSame(fields[field], before[field]),
    ).map((field) => [field, fields[field]]),
  ) as Partial<ChangeableFields>;
  const requestedScopes = scopes ?? before.requestedScopes;
  const scopesChanged = !isSame(requestedScopes, before.requestedScopes);
  const changesReviewedFields = REVIEWED_FIELDS.some((field) => field in changedFields);
  return {
    details: { ...changedFields, ...(scopesChanged ? { scopes: requestedScopes } : {}) },
    record: { ...changedFields, ...updateApprovalState(before, { requestedScopes, changesReviewedFields }) },
  };
}

/** Compares lists as sets. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(toUnordered(a), toUnordered(b));

const toUnordered = (value: unknown): unknown => (Array.isArray(value) ? new Set(value) : value);
