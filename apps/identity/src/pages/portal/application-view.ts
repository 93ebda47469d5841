import { APPROVAL_SCOPES, type Scope, SCOPES } from '@app/dto';
import type {
  ClientApplication,
  ClientStatus,
  ClientType,
} from '../../applications/entities/client-application.entity.js';
import type { ApiKey } from '../../applications/entities/api-key.entity.js';
import { type FormFields, SELECTABLE_SCOPES } from './application-form.js';
import { formatDay } from '../views/format-values.js';

export interface ScopeChoice {
  field: string;
  scope: Scope;
  words: string;
  checked: boolean;
  needsApproval: boolean;
}

/** An application's form as it is shown: the text of each field, and what is wrong with it. */
export interface ApplicationFormView {
  name: string;
  type: string;
  redirectUris: string;
  origins: string;
  iconUrl: string;
  implicit: boolean;
  idTokenAlg: string;
  scopes: ScopeChoice[];
  problems: Record<string, string>;
}

export interface ListedApplication {
  id: string;
  name: string;
  status: ClientStatus;
  statusWords: string;
  type: string;
}

export interface KeyView {
  id: string;
  hint: string;
  created: string;
  /** When it ends by itself, after a rotation. */
  ends?: string;
}

const STATUS: Record<ClientStatus, string> = {
  pending: 'waits for approval',
  approved: 'ready',
  rejected: 'not approved',
};

export const describeClientType = (type: ClientType): string =>
  type === 'public' ? 'runs where it cannot keep a secret' : 'runs on a server';

const choices = (isChecked: (scope: Scope) => boolean): ScopeChoice[] =>
  SELECTABLE_SCOPES.map((scope) => ({
    field: `scope.${scope}`,
    scope,
    words: SCOPES[scope],
    checked: isChecked(scope),
    needsApproval: APPROVAL_SCOPES.includes(scope),
  }));

const FIRST_SCOPES: readonly Scope[] = ['$public', 'user:read'];

export const createEmptyForm = (): ApplicationFormView => ({
  name: '',
  type: 'confidential',
  redirectUris: '',
  origins: '',
  iconUrl: '',
  implicit: false,
  idTokenAlg: 'RS256',
  scopes: choices((scope) => FIRST_SCOPES.includes(scope)),
  problems: {},
});

export const toFormView = (application: ClientApplication): ApplicationFormView => ({
  name: application.name,
  type: application.type,
  redirectUris: application.redirectUris.join('\n'),
  origins: application.origins.join('\n'),
  iconUrl: application.iconUrl ?? '',
  implicit: application.implicit,
  idTokenAlg: application.idTokenAlg,
  scopes: choices((scope) => application.requestedScopes.includes(scope)),
  problems: {},
});

/** The form once more, as it was filled in. */
export const toResubmittedFormView = (
  fields: FormFields,
  problems: Record<string, string>,
): ApplicationFormView => ({
  name: fields['name'] ?? '',
  type: fields['type'] ?? 'confidential',
  redirectUris: fields['redirectUris'] ?? '',
  origins: fields['origins'] ?? '',
  iconUrl: fields['iconUrl'] ?? '',
  implicit: fields['implicit'] === 'on',
  idTokenAlg: fields['idTokenAlg'] ?? 'RS256',
  scopes: choices((scope) => fields[`scope.${scope}`] === 'on'),
  problems,
});

export const toListedApplication = ({ id, name, status, type }: ClientApplication): ListedApplication => ({
  id,
  name,
  status,
  statusWords: STATUS[status],
  type: describeClientType(type),
});

export const toKeyView = ({ id, prefix, lastFour, createdAt, expiresAt }: ApiKey): KeyView => ({
  id,
  hint: `${prefix}…${lastFour}`,
  created: formatDay(createdAt),
  ...(expiresAt && { ends: `${formatDay(expiresAt)} ${expiresAt.toISOString().slice(11, 16)} UTC` }),
});
