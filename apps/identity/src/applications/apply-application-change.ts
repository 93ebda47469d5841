import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '@app/dto';
import type { ClientApplication } from './entities/client-application.entity.js';
import { type ApprovalState, updateApprovalState } from './approval-state.js';

type ChangeableFields = Pick<
  ClientApplication,
  'name' | 'iconUrl' | 'redirectUris' | 'origins' | 'implicit' | 'idTokenAlg'
>;

/** What an owner changes; what is left out stays. */
export type ApplicationChange = Partial<ChangeableFields> & { scopes?: Scope[] };

export interface AppliedApplicationChange {
  /** What really is another than before: nothing, when it was all there already. */
  details: ApplicationChange;
  record: Partial<ChangeableFields> & ApprovalState;
}

/** What users recognise an application by, and where they are sent: an operator approved it together with these. */
const REVIEWED_FIELDS: readonly (keyof ChangeableFields)[] = ['name', 'iconUrl', 'redirectUris', 'origins'];

const CHANGEABLE_FIELDS: readonly (keyof ChangeableFields)[] = [...REVIEWED_FIELDS, 'implicit', 'idTokenAlg'];

export function applyApplicationChange(
  before: ClientApplication,
  { scopes, ...fields }: ApplicationChange,
): AppliedApplicationChange {
  const different = Object.fromEntries(
    CHANGEABLE_FIELDS.filter(
      (field) => fields[field] !== undefined && !isSame(fields[field], before[field]),
    ).map((field) => [field, fields[field]]),
  ) as Partial<ChangeableFields>;
  const requestedScopes = scopes ?? before.requestedScopes;
  const otherScopes = !isSame(requestedScopes, before.requestedScopes);
  const looksDifferent = REVIEWED_FIELDS.some((field) => field in different);
  return {
    details: { ...different, ...(otherScopes ? { scopes: requestedScopes } : {}) },
    record: { ...different, ...updateApprovalState(before, { requestedScopes, looksDifferent }) },
  };
}

/** Lists say what there is, in no order. */
const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(withoutOrder(one), withoutOrder(other));

const withoutOrder = (value: unknown): unknown => (Array.isArray(value) ? new Set(value) : value);
