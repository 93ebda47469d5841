import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '@app/dto';
import { checkRedirectUris } from './redirect-uri.js';
import type { ClientApplication } from './entities/client-application.entity.js';
import { type ApprovalState, updateApprovalState } from './approval-state.js';
import {
  isReviewed,
  REVIEWED_FIELDS,
  selectReviewedValues,
  splitWantedValues,
  toWanted,
} from './reviewed-values.js';

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

interface AppliedApplicationChange {
  /** The fields whose values differ, for the audit record. */
  details: ApplicationChange;
  record: Partial<ChangeableFields> &
    ApprovalState &
    Pick<ClientApplication, 'revision' | 'reviewedRevision' | 'waitingValues'>;
}

const CHANGEABLE_FIELDS: readonly (keyof ChangeableFields)[] = [
  ...REVIEWED_FIELDS,
  'implicit',
  'idTokenAlg',
  'tokenResponse',
];

/** @throws AppError 400 for a redirect URI that is not for the application's type */
export function applyApplicationChange(
  application: ClientApplication,
  { scopes, ...fields }: ApplicationChange,
): AppliedApplicationChange {
  checkRedirectUris(application.type, fields.redirectUris);
  checkRedirectUris(application.type, fields.postLogoutRedirectUris, 'postLogoutRedirectUris');
  const before = toWanted(application);
  const changedFields = Object.fromEntries(
    CHANGEABLE_FIELDS.filter(
      (field) => fields[field] !== undefined && !isSame(fields[field], before[field]),
    ).map((field) => [field, fields[field]]),
  ) as Partial<ChangeableFields>;
  const requestedScopes = scopes ?? before.requestedScopes;
  const scopesChanged = !isSame(requestedScopes, before.requestedScopes);
  const revision = before.revision + 1;
  const values = isReviewed(before)
    ? {
        ...splitWantedValues(application, { ...selectReviewedValues(before), ...changedFields }),
        reviewedRevision: revision,
      }
    : { waitingValues: null, reviewedRevision: before.reviewedRevision };
  const state = updateApprovalState(before, {
    requestedScopes,
    hasWaitingValues: values.waitingValues !== null,
    changesUnreviewedValues: !isReviewed(before) && REVIEWED_FIELDS.some((field) => field in changedFields),
  });
  return {
    details: { ...changedFields, ...(scopesChanged ? { scopes: requestedScopes } : {}) },
    record: { ...changedFields, ...state, ...values, revision },
  };
}

/** Compares lists as sets. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(toUnordered(a), toUnordered(b));

const toUnordered = (value: unknown): unknown => (Array.isArray(value) ? new Set(value) : value);
