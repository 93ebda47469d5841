import { HOUR_MS } from '@app/common';
import { APPROVAL_SCOPES, type Scope, SCOPES } from '@app/dto';
import type {
  ClientApplication,
  ClientStatus,
  ClientType,
} from '../../applications/entities/client-application.entity.js';
import { toWanted } from '../../applications/reviewed-values.js';
import { type ApiKey, isEnding } from '../../applications/entities/api-key.entity.js';
import type { FormFields } from './application-form.js';
import { SCOPE_GROUPS } from './scope-groups.js';
import { formatDay } from '../views/format-values.js';
import type { ApplicationFormView, KeyView, ListedApplication } from '../views/application-views.js';

const STATUS_LABELS: Record<ClientStatus, string> = {
  pending: 'waiting for approval',
  approved: 'approved',
  rejected: 'rejected',
};

export const describeClientType = (type: ClientType): string =>
  type === 'public' ? 'browser or mobile application' : 'server application';

const toScopeGroups = (isChecked: (scope: Scope) => boolean): ApplicationFormView['scopeGroups'] =>
  SCOPE_GROUPS.map(({ title, scopes }) => ({
    title,
    choices: scopes.map((scope) => ({
      field: `scope.${scope}`,
      scope,
      label: SCOPES[scope],
      checked: isChecked(scope),
      needsApproval: APPROVAL_SCOPES.includes(scope),
    })),
  }));

const DEFAULT_SCOPES: readonly Scope[] = ['$public', 'user:read'];

export const createEmptyForm = (): ApplicationFormView => ({
  name: '',
  type: 'confidential',
  redirectUris: '',
  postLogoutRedirectUris: '',
  origins: '',
  iconUrl: '',
  implicit: false,
  idTokenAlg: 'RS256',
  tokenResponse: 'json',
  scopeGroups: toScopeGroups((scope) => DEFAULT_SCOPES.includes(scope)),
  message: '',
  problems: {},
});

export const toFormView = (application: ClientApplication): ApplicationFormView => ({
  name: application.name,
  type: application.type,
  redirectUris: application.redirectUris.join('\n'),
  postLogoutRedirectUris: application.postLogoutRedirectUris.join('\n'),
  origins: application.origins.join('\n'),
  iconUrl: application.iconUrl ?? '',
  implicit: application.implicit,
  idTokenAlg: application.idTokenAlg,
  tokenResponse: application.tokenResponse,
  scopeGroups: toScopeGroups((scope) => application.requestedScopes.includes(scope)),
  message: '',
  problems: {},
});

/** A submitted form with its validation errors. */
export const toResubmittedFormView = (
  fields: FormFields,
  problems: Record<string, string>,
): ApplicationFormView => ({
  name: fields['name'] ?? '',
  type: fields['type'] ?? 'confidential',
  redirectUris: fields['redirectUris'] ?? '',
  postLogoutRedirectUris: fields['postLogoutRedirectUris'] ?? '',
  origins: fields['origins'] ?? '',
  iconUrl: fields['iconUrl'] ?? '',
  implicit: fields['implicit'] === 'on',
  idTokenAlg: fields['idTokenAlg'] ?? 'RS256',
  tokenResponse: fields['tokenResponse'] ?? 'json',
  message: fields['message'] ?? '',
  scopeGroups: toScopeGroups((scope) => fields[`scope.${scope}`] === 'on'),
  problems,
});

/** The application in a list, with the name that the owner wants. */
export function toListedApplication(application: ClientApplication): ListedApplication {
  const { id, name, status, type } = toWanted(application);
  return { id, name, status, statusLabel: STATUS_LABELS[status], type: describeClientType(type) };
}

const formatHour = (hour: Date): string => {
  const end = new Date(hour.getTime() + HOUR_MS);
  return `${formatDay(hour)}, ${hour.toISOString().slice(11, 16)} to ${end.toISOString().slice(11, 16)} UTC`;
};

export function toKeyView(key: ApiKey): KeyView {
  const { id, name, prefix, lastFour, scopes, createdAt, expiresAt, lastUsedAt } = key;
  return {
    id,
    name: name ?? 'Key without a name',
    preview: `${prefix}…${lastFour}`,
    created: formatDay(createdAt),
    lastUsed: lastUsedAt ? `last used on ${formatHour(lastUsedAt)}` : 'no use seen yet',
    access: scopes
      ? scopes.map((scope) => SCOPES[scope]).join('; ')
      : 'everything that the application may do',
    isReplaceable: !isEnding(key),
    ...(expiresAt && { expires: `${formatDay(expiresAt)} ${expiresAt.toISOString().slice(11, 16)} UTC` }),
  };
}
