import { isDeepStrictEqual } from 'node:util';
import { EVENT_SCOPES } from '@app/dto';
import { ApiError } from '../gatehouse-api.js';
import { afterApproval, type ApplyContext, requireClientId } from './apply-context.js';
import type { DeclaredApplication, DeclaredEndpoint } from './declaration.js';
import { CLIENT_ID, type PlannedApplication } from './plan-application.js';
import { describeChange, isWaitingForApproval, WaitingError } from './plan.js';
import {
  ignoredAnswer,
  remoteCreatedEndpoint,
  type RemoteEndpoint,
  remoteEndpoints,
  remoteEndpointSecret,
} from './remote-schemas.js';
import { type SecretFile, toVariable } from './secret-file.js';

const CONFLICT = 'callback_endpoint_conflict';

const toWhat = (url: string, application: string): string =>
  `callback endpoint ${url} of application "${application}"`;

/** Where the secret of an endpoint stands in the file of secrets: after its host and its path, unless the file says otherwise. */
export const toEndpointVariable = ({ url, secretName }: DeclaredEndpoint): string => {
  const { host, pathname } = new URL(url);
  return secretName ?? toVariable('CALLBACK_SECRET', `${host}${pathname}`);
};

interface EndpointPlan {
  readonly context: ApplyContext;
  readonly declared: DeclaredApplication;
  readonly planned: PlannedApplication;
  readonly secrets: SecretFile;
}

/** Plans the callback endpoints of an application, which their URL identifies. */
export async function planEndpoints(
  context: ApplyContext,
  declared: DeclaredApplication,
  planned: PlannedApplication,
  secrets: SecretFile | undefined,
): Promise<void> {
  if (!declared.callbackEndpoints) return;
  const { plan, api } = context;
  if (!secrets) {
    plan.problems.push(
      `application "${declared.name}": secrets of callback endpoints are shown once, and need a place: give it a secretFile, or run with --secrets <folder>.`,
    );
    return;
  }
  const { existing } = planned;
  const path = existing && `/client-applications/${existing.clientId}/callback-endpoints`;
  const endpoints = path === undefined ? [] : (await api.call('GET', path, remoteEndpoints)).items;
  const endpointPlan = { context, declared, planned, secrets };
  for (const endpoint of declared.callbackEndpoints) {
    const current = endpoints.find(({ url }) => url === endpoint.url);
    if (current) planExisting(endpointPlan, endpoint, current);
    else planNewEndpoint(endpointPlan, endpoint);
  }
  const urls = new Set(declared.callbackEndpoints.map(({ url }) => url));
  for (const { id, url } of endpoints) {
    if (urls.has(url)) continue;
    plan.prune(context.isPruned, {
      what: toWhat(url, declared.name),
      needsConsent: 'what it has not got yet is never sent, and its secret is gone',
      run: async () => {
        await api.call('DELETE', `${toPath(planned)}/${id}`, ignoredAnswer);
      },
    });
  }
}

const toPath = ({ handle }: PlannedApplication): string =>
  `/client-applications/${requireClientId(handle)}/callback-endpoints`;

function planExisting(endpointPlan: EndpointPlan, declared: DeclaredEndpoint, current: RemoteEndpoint): void {
  const { context, planned, secrets } = endpointPlan;
  const { plan, api } = context;
  const what = toWhat(current.url, endpointPlan.declared.name);
  const { events, description } = declared;
  const hasOtherEvents = !isDeepStrictEqual(events.toSorted(), current.events.toSorted());
  const details = [
    ...(hasOtherEvents ? [describeChange('events', current.events, events)] : []),
    ...(description === undefined || description === current.description
      ? []
      : [describeChange('description', current.description, description)]),
  ];
  plan.change(what, details, async () => {
    await waitForApproval(context, declared, async () => {
      await api.call('PATCH', `${toPath(planned)}/${current.id}`, ignoredAnswer, { events, description });
    });
  });
  if (!current.health.verified)
    plan.notes.push(`The ${what} has not answered its challenge yet, and gets nothing until it has.`);
  const variable = toEndpointVariable(declared);
  const known = secrets.read();
  if (known[CLIENT_ID] === planned.handle.clientId && known[variable] !== undefined) return;
  if (!context.replacesLost) {
    plan.notes.push(
      `The secret of ${what} is not in ${secrets.file}; --replace-lost makes another one, beside which the one before signs for a day.`,
    );
    return;
  }
  plan.steps.push({
    action: 'create',
    what: `another secret of ${what}`,
    details: [
      current.previousSecretEnds === undefined
        ? 'the one before signs for another day'
        : `the newest one ends now; the one before it signs until ${current.previousSecretEnds}`,
    ],
    needsConsent:
      current.previousSecretEnds === undefined
        ? undefined
        : 'it was replaced within a day, and nobody can tell whether the newest secret is in use',
    run: async () => {
      await secrets.write({});
      const path = `${toPath(planned)}/${current.id}/secret-rotations`;
      const { secret } = await api.call('POST', path, remoteEndpointSecret);
      await secrets.write({ [CLIENT_ID]: requireClientId(planned.handle), [variable]: secret });
    },
  });
}

function planNewEndpoint(
  { context, declared, planned, secrets }: EndpointPlan,
  endpoint: DeclaredEndpoint,
): void {
  const { url, events, description } = endpoint;
  const variable = toEndpointVariable(endpoint);
  context.plan.steps.push({
    action: 'create',
    what: toWhat(url, declared.name),
    details: [`events: ${events.join(', ')}`, `its secret goes to ${secrets.file} as ${variable}`],
    run: async () => {
      await secrets.write({});
      const created = await waitForApproval(context, endpoint, () =>
        context.api
          .call('POST', toPath(planned), remoteCreatedEndpoint, { url, events, description })
          .catch((error: unknown) => {
            // Another run has made it at the same time, and keeps its secret.
            if (error instanceof ApiError && error.code === CONFLICT) return undefined;
            throw error;
          }),
      );
      if (created)
        await secrets.write({ [CLIENT_ID]: requireClientId(planned.handle), [variable]: created.secret });
    },
  });
}

/** Endpoints need an approval of the application for what their events are about. */
async function waitForApproval<T>(
  context: ApplyContext,
  { events }: DeclaredEndpoint,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await afterApproval(context, work);
  } catch (error) {
    if (!isWaitingForApproval(error)) throw error;
    const scopes = [...new Set(events.map((event) => EVENT_SCOPES[event]))].filter((scope) => scope !== null);
    throw new WaitingError(
      `the application must have ${scopes.join(' and ') || 'a scope of endpoints'}: declare it, and an operator approves what needs it`,
    );
  }
}
