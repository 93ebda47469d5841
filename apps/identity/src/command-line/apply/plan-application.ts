import { isDeepStrictEqual } from 'node:util';
import { APPROVAL_SCOPES } from '@app/dto';
import { ApiError } from '../gatehouse-api.js';
import {
  type ApplicationHandle,
  type ApplyContext,
  findByName,
  listOwnApplications,
  requireClientId,
} from './apply-context.js';
import type { DeclaredApplication, DeclaredKey } from './declaration.js';
import { describeChange, WaitingError } from './plan.js';
import {
  ignoredAnswer,
  type RemoteApplication,
  remoteApplication,
  remoteCreatedApplication,
  remoteIssuedSecret,
} from './remote-schemas.js';
import { type SecretFile, toVariable } from './secret-file.js';
import { settleTwins } from './settle-twins.js';

/** The key that every new application gets. */
const FIRST_KEY_NAME = 'First key';

/** Whether the file declares the key that every new application gets, which then stays. */
export const isFirstKey = ({ name, scopes, expiresTime }: DeclaredKey): boolean =>
  name === FIRST_KEY_NAME && !scopes && expiresTime === undefined;

export const CLIENT_ID = 'CLIENT_ID';
const CLIENT_SECRET = 'CLIENT_SECRET';

/** Fields that the file and the application have alike; `requestedScopes` stands for `scopes`. */
const FIELDS = [
  'name',
  'redirectUris',
  'origins',
  'postLogoutRedirectUris',
  'iconUrl',
  'implicit',
  'idTokenAlg',
  'tokenResponse',
] as const;

/** What an operator decides about after a change. */
const REVIEWED_FIELDS = new Set([
  'name',
  'redirectUris',
  'origins',
  'postLogoutRedirectUris',
  'iconUrl',
  'scopes',
]);

/** Redirect URIs, origins and scopes are sets. */
const toComparable = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value)].sort() : value);

interface FieldChange {
  readonly details: string[];
  readonly body: Record<string, unknown>;
}

function compareFields(
  before: RemoteApplication,
  declared: DeclaredApplication,
  scopes: readonly string[] | undefined,
): FieldChange {
  const details: string[] = [];
  const body: Record<string, unknown> = {};
  const compare = (field: string, old: unknown, wanted: unknown): void => {
    if (wanted === undefined || isDeepStrictEqual(toComparable(old), toComparable(wanted))) return;
    details.push(describeChange(field, old, wanted));
    body[field] = wanted;
  };
  for (const field of FIELDS) compare(field, before[field] ?? null, declared[field]);
  compare('scopes', before.requestedScopes, scopes);
  return { details, body };
}

/** Scopes that the application has, and that the file leaves out. */
const findDroppedScopes = (
  { approvedScopes }: RemoteApplication,
  { scopes }: DeclaredApplication,
): string[] => (scopes ? approvedScopes.filter((scope) => !scopes.some((kept) => kept === scope)) : []);

const ADDRESS_FIELDS = ['redirectUris', 'postLogoutRedirectUris', 'origins'] as const;

/** What stops working at once where the file leaves out an address. @returns undefined where it leaves out none */
function describeLostAddresses(before: RemoteApplication, declared: DeclaredApplication): string | undefined {
  const lost = ADDRESS_FIELDS.flatMap((field) => {
    const wanted = declared[field];
    return wanted ? before[field].filter((address) => !wanted.includes(address)) : [];
  });
  return lost.length === 0
    ? undefined
    : `${lost.join(', ')} stops working at once; an operator may have to approve it to have it back`;
}

function describeLoss(dropped: readonly string[]): string {
  const approved = APPROVAL_SCOPES.filter((scope) => dropped.includes(scope));
  const again = approved.length > 0 ? `; an operator would have to approve ${approved.join(', ')} again` : '';
  return `its keys and its users' tokens lose ${dropped.join(', ')}${again}`;
}

function toNewApplication(declared: DeclaredApplication): Record<string, unknown> {
  const { type, scopes, iconUrl } = declared;
  const fields = Object.fromEntries(FIELDS.map((field) => [field, declared[field]]));
  const all = { ...fields, type, scopes, iconUrl: iconUrl ?? undefined };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export interface PlannedApplication {
  readonly handle: ApplicationHandle;
  /** Absent for an application that the plan creates. */
  readonly existing: RemoteApplication | undefined;
}

/** Plans that an application loses scopes, which comes last: its endpoints and rules may need them to be changed. */
export function planScopeReduction(
  { plan, api }: ApplyContext,
  declared: DeclaredApplication,
  existing: RemoteApplication,
): void {
  const dropped = findDroppedScopes(existing, declared);
  if (dropped.length === 0) return;
  const { scopes } = declared;
  plan.steps.push({
    action: 'change',
    what: `scopes of application "${declared.name}"`,
    details: [describeChange('scopes', existing.approvedScopes, scopes)],
    needsConsent: describeLoss(dropped),
    run: async () => {
      await api.call('PATCH', `/client-applications/${existing.clientId}`, ignoredAnswer, { scopes });
    },
  });
}

/**
 * Plans the application itself: fields without a reduction of scopes, client secret and approval.
 * @param own all applications of the user
 * @returns undefined after adding a problem
 */
export function planApplication(
  context: ApplyContext,
  own: readonly RemoteApplication[],
  declared: DeclaredApplication,
  secrets: SecretFile | undefined,
): PlannedApplication | undefined {
  const { plan } = context;
  const what = `application "${declared.name}"`;
  const wanted = { kind: 'application', name: declared.name, id: declared.clientId, idField: 'clientId' };
  const found = findByName(context, own, { ...wanted, toId: ({ clientId }) => clientId });
  if (!found) return undefined;
  const { existing } = found;
  const handle: ApplicationHandle = { name: declared.name, clientId: existing?.clientId };
  // A new application without such a scope is approved at once.
  let mayWait = (declared.scopes ?? []).some((scope) => APPROVAL_SCOPES.includes(scope));
  if (!existing) planCreation(context, declared, handle, secrets);
  else {
    if (APPROVAL_SCOPES.some((scope) => existing.approvedScopes.includes(scope))) context.hasApproved = true;
    if (declared.type !== undefined && declared.type !== existing.type) {
      plan.problems.push(`${what}: it is ${existing.type}, and the type of an application cannot change.`);
      return undefined;
    }
    const kept = findDroppedScopes(existing, declared);
    const { details, body } = compareFields(
      existing,
      declared,
      declared.scopes && [...declared.scopes, ...kept],
    );
    mayWait = existing.status === 'pending' || Object.keys(body).some((field) => REVIEWED_FIELDS.has(field));
    const change = async (): Promise<void> => {
      const path = `/client-applications/${existing.clientId}`;
      await context.api.call('PATCH', path, ignoredAnswer, body);
    };
    plan.change(what, details, change, describeLostAddresses(existing, declared));
    planClientSecret(context, existing, secrets);
  }
  if (declared.approve && mayWait) planApproval(context, handle);
  return { handle, existing };
}

function planCreation(
  context: ApplyContext,
  declared: DeclaredApplication,
  handle: ApplicationHandle,
  secrets: SecretFile | undefined,
): void {
  const { plan, api } = context;
  const what = `application "${declared.name}"`;
  if (declared.type !== 'public' && !secrets) {
    plan.problems.push(
      `${what}: its client secret is shown once, and needs a place: give it a secretFile, or run with --secrets <folder>.`,
    );
    return;
  }
  const body = toNewApplication(declared);
  const keepsFirstKey = declared.keys?.some(isFirstKey) === true;
  plan.steps.push({
    action: 'create',
    what,
    details: [
      ...(declared.scopes ? [`scopes: ${declared.scopes.join(', ') || 'none'}`] : []),
      ...(secrets ? [`its secrets go to ${secrets.file}`] : []),
    ],
    run: async () => {
      // A file that cannot be written fails before there is a secret to lose.
      await secrets?.write({});
      const created = await api.call('POST', '/client-applications', remoteCreatedApplication, body);
      const { clientId } = created.application;
      handle.clientId = await settleTwins({
        ownId: clientId,
        list: async () => {
          const named = (await listOwnApplications(api)).filter(({ name }) => name === declared.name);
          return named.map((one) => one.clientId);
        },
        removeOwn: async () => {
          await api.call('DELETE', `/client-applications/${clientId}`, ignoredAnswer);
        },
      });
      if (handle.clientId !== clientId) return;
      const firstKey = keepsFirstKey ? { [toKeyVariable(declared, FIRST_KEY_NAME)]: created.apiKey } : {};
      await secrets?.write({
        [CLIENT_ID]: clientId,
        ...(created.clientSecret !== undefined && { [CLIENT_SECRET]: created.clientSecret }),
        ...firstKey,
      });
      // Nobody was told this key.
      if (!keepsFirstKey)
        await api.call('DELETE', `/client-applications/${clientId}/api-keys/${created.keyId}`, ignoredAnswer);
    },
  });
}

function planClientSecret(
  context: ApplyContext,
  { clientId, type, name }: RemoteApplication,
  secrets: SecretFile | undefined,
): void {
  if (!secrets || type === 'public') return;
  const known = secrets.read();
  if (known[CLIENT_ID] === clientId && known[CLIENT_SECRET] !== undefined) return;
  const what = `client secret of application "${name}"`;
  if (!context.replacesLost) {
    context.plan.notes.push(
      `The ${what} is not in ${secrets.file}. It goes on working where it is used; --replace-lost makes another one.`,
    );
    return;
  }
  context.plan.steps.push({
    action: 'create',
    what: `another ${what}`,
    details: ['the newest one works for another day; if it has replaced one that still works, that one does'],
    needsConsent:
      'nobody can tell which one is in use: the newest ends at once where it was replaced within a day',
    run: async () => {
      await secrets.write({});
      const path = `/client-applications/${clientId}/secrets`;
      const { clientSecret } = await context.api.call('POST', path, remoteIssuedSecret, { lost: true });
      await secrets.write({ [CLIENT_ID]: clientId, [CLIENT_SECRET]: clientSecret });
    },
  });
}

function planApproval(context: ApplyContext, handle: ApplicationHandle): void {
  const { api } = context;
  context.plan.steps.push({
    action: 'approve',
    what: `application "${handle.name}"`,
    run: async () => {
      const clientId = requireClientId(handle);
      const now = await api.call('GET', `/client-applications/${clientId}`, remoteApplication);
      if (now.status !== 'pending') return;
      const body = { revision: now.revision };
      try {
        await api.call('POST', `/operator/client-applications/${clientId}/approvals`, ignoredAnswer, body);
        context.hasApproved = true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 403)
          throw new WaitingError('your session may not approve it: an operator does, in the portal');
        throw error;
      }
    },
  });
}

/** Where the text of a key stands in the file of secrets. */
export const toKeyVariable = (declared: DeclaredApplication, name: string): string =>
  declared.keys?.find((key) => key.name === name)?.secretName ?? toVariable('API_KEY', name);
