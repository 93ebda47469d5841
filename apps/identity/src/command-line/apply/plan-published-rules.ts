import { digestJson } from '@app/common';
import { ApiError, type GatehouseApi } from '../gatehouse-api.js';
import { afterApproval, type ApplyContext, requireClientId } from './apply-context.js';
import type { DeclaredApplication } from './declaration.js';
import { CLIENT_ID, type PlannedApplication, toKeyVariable } from './plan-application.js';
import { isWaitingForApproval, WaitingError } from './plan.js';
import { ignoredAnswer, remotePublishedRules } from './remote-schemas.js';
import type { SecretFile } from './secret-file.js';

const NEEDED_SCOPE = 'token-gating';

/** A key of the application that the file of secrets holds and that may publish. */
function findKey(declared: DeclaredApplication, secrets: SecretFile | undefined, clientId: string) {
  const known = secrets?.read() ?? {};
  if (known[CLIENT_ID] !== clientId) return undefined;
  const keys = declared.keys ?? [];
  const usable = keys.filter(({ scopes }) => !scopes || new Set<string>(scopes).has(NEEDED_SCOPE));
  return usable.map(({ name }) => known[toKeyVariable(declared, name)]).find((text) => text !== undefined);
}

/**
 * Plans the rules that an application publishes, which only its own API key may read and write: a key that the file declares, and whose text is
 * at hand.
 */
export async function planPublishedRules(
  context: ApplyContext,
  declared: DeclaredApplication,
  { existing, handle }: PlannedApplication,
  secrets: SecretFile | undefined,
): Promise<void> {
  const rules = declared.publishedRules;
  if (!rules) return;
  const what = `published rules of application "${declared.name}"`;
  const before = existing ? await readRules(context, declared, secrets, existing.clientId) : [];
  if (before && digestJson(before) === digestJson(rules)) {
    context.plan.unchanged.push(what);
    return;
  }
  const names = rules.map(({ name }) => name).join(', ') || 'none';
  const removed = (before ?? []).filter(({ name }) => rules.every((rule) => rule.name !== name));
  context.plan.steps.push({
    action: before && before.length > 0 ? 'change' : 'create',
    what,
    details: [
      ...(before && before.length > 0 ? [`before: ${before.map(({ name }) => name).join(', ')}`] : []),
      `rules: ${names}`,
    ],
    needsConsent:
      removed.length > 0
        ? `pages that name ${removed.map(({ name }) => name).join(', ')} are refused at once`
        : undefined,
    run: async () => {
      const clientId = requireClientId(handle);
      const key = findKey(declared, secrets, clientId);
      if (key === undefined) throw keyRequired();
      await publish(context, context.withApiKey(key), clientId, { rules });
    },
  });
}

async function readRules(
  { withApiKey }: ApplyContext,
  declared: DeclaredApplication,
  secrets: SecretFile | undefined,
  clientId: string,
) {
  const key = findKey(declared, secrets, clientId);
  if (key === undefined) return undefined;
  try {
    const path = `/client-applications/${clientId}/published-rules`;
    return (await withApiKey(key).call('GET', path, remotePublishedRules)).rules;
  } catch (error) {
    // A key that has no right today may have one when the plan runs.
    if (error instanceof ApiError && [401, 403].includes(error.status)) return undefined;
    throw error;
  }
}

async function publish(
  context: ApplyContext,
  api: GatehouseApi,
  clientId: string,
  body: object,
): Promise<void> {
  try {
    await afterApproval(context, () =>
      api.call('PUT', `/client-applications/${clientId}/published-rules`, ignoredAnswer, body),
    );
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw keyRequired();
    if (isWaitingForApproval(error))
      throw new WaitingError(`the application waits for an operator's approval of ${NEEDED_SCOPE}`);
    throw error;
  }
}

const keyRequired = () =>
  new WaitingError(
    `only an API key of the application may publish: declare one with the scope ${NEEDED_SCOPE}, whose text is in the secretFile`,
  );
