import { isDeepStrictEqual } from 'node:util';
import { type ApplyContext, requireClientId } from './apply-context.js';
import type { DeclaredApplication, DeclaredKey } from './declaration.js';
import { CLIENT_ID, isFirstKey, type PlannedApplication, toKeyVariable } from './plan-application.js';
import { newApiKey } from '../../applications/credentials/credential.dto.js';
import { ignoredAnswer, remoteIssuedKey, type RemoteKey, remoteKeys } from './remote-schemas.js';
import type { SecretFile } from './secret-file.js';
import { settleTwins } from './settle-twins.js';

const toWhat = (name: string, application: string): string =>
  `API key "${name}" of application "${application}"`;

/** `gth_live_abc…wxyz` of the list, which shows the beginning and the end of a key. */
function matchesHint(text: string | undefined, hint: string): boolean {
  const [start = '', end = ''] = hint.split('…');
  return text?.startsWith(start) === true && text.endsWith(end);
}

const toScopes = (scopes: readonly string[] | undefined): string[] | undefined =>
  scopes && [...new Set(scopes)].sort();

const toMs = (text: string): number => Date.parse(text);

/** No end counts as one for ever. A replacement has the lifetime of the key before it, and so never ends sooner. */
const endsSooner = (current: RemoteKey, key: DeclaredKey): boolean =>
  key.expiresTime !== undefined &&
  (current.expiresTime === undefined || toMs(current.expiresTime) < toMs(key.expiresTime));

const endsLater = (current: RemoteKey, key: DeclaredKey): boolean =>
  key.expiresTime !== undefined &&
  current.expiresTime !== undefined &&
  toMs(current.expiresTime) > toMs(key.expiresTime);

interface KeyPlan {
  readonly context: ApplyContext;
  readonly declared: DeclaredApplication;
  readonly planned: PlannedApplication;
  readonly secrets: SecretFile;
}

/** Plans the API keys of an application. A key never changes: another scope asks for another name. */
export async function planKeys(
  context: ApplyContext,
  declared: DeclaredApplication,
  planned: PlannedApplication,
  secrets: SecretFile | undefined,
): Promise<void> {
  if (!declared.keys) return;
  const { plan, api } = context;
  if (!secrets) {
    plan.problems.push(
      `application "${declared.name}": its keys are shown once, and need a place: give it a secretFile, or run with --secrets <folder>.`,
    );
    return;
  }
  const { existing } = planned;
  const path = existing && `/client-applications/${existing.clientId}/api-keys`;
  const keys = path === undefined ? [] : (await api.call('GET', path, remoteKeys)).items;
  const keyPlan = { context, declared, planned, secrets };
  for (const key of declared.keys) {
    // The newest one counts; those before it were replaced.
    const current = keys.findLast(({ name }) => name === key.name);
    if (current) planExisting(keyPlan, key, current, keys);
    else if (existing || !isFirstKey(key)) planNewKey(keyPlan, key);
  }
  const names = new Set(declared.keys.map(({ name }) => name));
  for (const key of keys) if (!names.has(key.name ?? '')) planRemoval(keyPlan, key);
}

function planExisting(
  keyPlan: KeyPlan,
  key: DeclaredKey,
  current: RemoteKey,
  all: readonly RemoteKey[],
): void {
  const { declared, secrets } = keyPlan;
  const { plan } = keyPlan.context;
  const what = toWhat(key.name, declared.name);
  const hasOtherTerms =
    !isDeepStrictEqual(toScopes(key.scopes), toScopes(current.scopes)) || endsSooner(current, key);
  if (hasOtherTerms) {
    plan.problems.push(
      `${what}: it has other scopes or another end, which cannot change. Give the new one another name.`,
    );
    return;
  }
  if (endsLater(current, key))
    plan.notes.push(
      `The ${what} ends on ${String(current.expiresTime)}, later than the file says: it was replaced, or its end in the file has changed, which takes another name.`,
    );
  const known = secrets.read();
  const variable = toKeyVariable(declared, key.name);
  if (matchesHint(known[variable], current.hint)) plan.unchanged.push(what);
  else {
    const isSecond = all.some(({ name, keyId }) => name === key.name && keyId !== current.keyId);
    planLostKey(keyPlan, key, current, isSecond);
  }
}

/** @param isSecond whether another key of this name still works, which is then the one in use */
function planLostKey(
  { context, declared, planned, secrets }: KeyPlan,
  key: DeclaredKey,
  current: RemoteKey,
  isSecond: boolean,
): void {
  const what = toWhat(key.name, declared.name);
  const variable = toKeyVariable(declared, key.name);
  if (!context.replacesLost) {
    context.plan.unchanged.push(what);
    context.plan.notes.push(
      `The ${what} (${current.hint}) is not in ${secrets.file}. It goes on working where it is used; --replace-lost makes another one.`,
    );
    return;
  }
  context.plan.steps.push({
    action: 'create',
    what: `another ${what}`,
    details: [
      isSecond
        ? `${current.hint}, which nobody has, ends now; the one before it works until its end`
        : 'the one before works for another day',
    ],
    needsConsent:
      isSecond && current.lastUsedTime !== undefined
        ? `somebody has used ${current.hint} since ${current.lastUsedTime}, and is refused within seconds`
        : undefined,
    run: async () => {
      const clientId = requireClientId(planned.handle);
      await secrets.write({});
      const path = `/client-applications/${clientId}/api-keys/${current.keyId}/rotations`;
      const { apiKey } = await context.api.call('POST', path, remoteIssuedKey, { lost: true });
      await secrets.write({ [CLIENT_ID]: clientId, [variable]: apiKey });
    },
  });
}

function planNewKey({ context, declared, planned, secrets }: KeyPlan, key: DeclaredKey): void {
  const { name, scopes, expiresTime } = key;
  const { api } = context;
  const checked = newApiKey.safeParse({ name, scopes, expiresTime });
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    context.plan.problems.push(`${toWhat(name, declared.name)} is new: ${problems.join(', ')}`);
    return;
  }
  context.plan.steps.push({
    action: 'create',
    what: toWhat(name, declared.name),
    details: [
      ...(scopes ? [`scopes: ${scopes.join(', ')}`] : []),
      `it goes to ${secrets.file} as ${toKeyVariable(declared, name)}`,
    ],
    run: async () => {
      const clientId = requireClientId(planned.handle);
      const path = `/client-applications/${clientId}/api-keys`;
      await secrets.write({});
      const created = await api.call('POST', path, remoteIssuedKey, { name, scopes, expiresTime });
      const left = await settleTwins({
        ownId: created.keyId,
        list: async () => {
          const named = (await api.call('GET', path, remoteKeys)).items.filter((one) => one.name === name);
          return named.map(({ keyId }) => keyId);
        },
        removeOwn: async () => {
          await api.call('DELETE', `${path}/${created.keyId}`, ignoredAnswer);
        },
      });
      // The run whose key is left keeps its text.
      if (left === created.keyId)
        await secrets.write({ [CLIENT_ID]: clientId, [toKeyVariable(declared, name)]: created.apiKey });
    },
  });
}

function planRemoval({ context, declared, planned, secrets }: KeyPlan, key: RemoteKey): void {
  const name = key.name ?? 'without a name';
  context.plan.prune(context.isPruned, {
    what: `${toWhat(name, declared.name)} (${key.hint})`,
    needsConsent: 'whoever uses it is refused, and its text is gone',
    run: async () => {
      const clientId = requireClientId(planned.handle);
      await context.api.call(
        'DELETE',
        `/client-applications/${clientId}/api-keys/${key.keyId}`,
        ignoredAnswer,
      );
      const variable = toKeyVariable(declared, name);
      if (matchesHint(secrets.read()[variable], key.hint)) await secrets.write({ [variable]: undefined });
    },
  });
}
