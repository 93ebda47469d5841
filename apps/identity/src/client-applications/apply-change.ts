import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '@app/dto';
import type { ClientApplication } from '../clients/client-application.entity.js';
import { type ApprovalState, changed } from '../clients/scope-approval.js';

type Changeable = Pick<
  ClientApplication,
  'name' | 'iconUrl' | 'redirectUris' | 'origins' | 'implicit' | 'idTokenAlg'
>;

/** What an owner changes; what is left out stays. */
export type ApplicationChange = Partial<Changeable> & { scopes?: Scope[] };

export interface AppliedChange {
  /** What really is another than before: nothing, when it was all there already. */
  details: ApplicationChange;
  record: Partial<Changeable> & ApprovalState;
}

/** What users recognise an application by, and where they are sent: an operator approved it together with these. */
const LOOKS: readonly (keyof Changeable)[] = ['name', 'iconUrl', 'redirectUris', 'origins'];

const FIELDS: readonly (keyof Changeable)[] = [...LOOKS, 'implicit', 'idTokenAlg'];

export function applyChange(
  before: ClientApplication,
  { scopes, ...fields }: ApplicationChange,
): AppliedChange {
  const different = Object.fromEntries(
    FIELDS.filter((field) => fields[field] !== undefined && !isSame(fields[field], before[field])).map(
      (field) => [field, fields[field]],
    ),
  ) as Partial<Changeable>;
  const requestedScopes = scopes ?? before.requestedScopes;
  const otherScopes = !isSame(requestedScopes, before.requestedScopes);
  const looksDifferent = LOOKS.some((field) => field in different);
  return {
    details: { ...different, ...(otherScopes ? { scopes: requestedScopes } : {}) },
    record: { ...different, ...changed(before, { requestedScopes, looksDifferent }) },
  };
}

/** Lists say what there is, in no order. */
const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(withoutOrder(one), withoutOrder(other));

const withoutOrder = (value: unknown): unknown => (Array.isArray(value) ? new Set(value) : value);
