import { z } from 'zod';
import { applicationName } from '../client-application-fields.js';
import type { CreatedClientApplication } from '../insert-client-application.js';
import {
  APPLICATION_FLAGS,
  APPLICATION_USAGE,
  applicationFlags,
  toApplicationFields,
  PLAN_FLAGS,
  PLAN_USAGE,
  planFlags,
  ownerAccountFlag,
  parsePlanTerms,
  scopesFlag,
  countFlag,
} from './command-flags.js';
import { defineCommand } from './define-command.js';
import type { Database } from '@app/database';
import { IsNull } from 'typeorm';
import { ApiKey } from '../entities/api-key.entity.js';
import { formatCredentialHint } from '../entities/stored-credential.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { COMMAND_LINE_ACTOR } from '../audit/audit-action.js';

const flags = z.object({
  name: applicationName,
  type: z.enum(['confidential', 'public']).default('confidential'),
  scopes: scopesFlag.default([]),
  owner: z.string().optional(),
  account: ownerAccountFlag.optional(),
  ...planFlags,
  plan: planFlags.plan.optional(),
  ...applicationFlags,
});

/** Takes either the plan of a new tenant, or the id of an existing tenant as --owner. */
const createCommandSchema = flags.transform(
  ({ name, type, scopes, owner, account, plan, ...rest }, context) => {
    const fields = { name, type, scopes, ...toApplicationFields(rest) };
    const limits = {
      'requests-per-second': rest['requests-per-second'],
      'requests-per-month': rest['requests-per-month'],
      'max-client-applications': rest['max-client-applications'],
      'max-api-keys': rest['max-api-keys'],
    };
    const addIssue = (flag: string, message: string) => {
      context.addIssue({ code: 'custom', path: [flag], message });
    };
    if (owner !== undefined) {
      for (const flag of PLAN_FLAGS) {
        if ({ plan, ...limits }[flag] !== undefined) addIssue(flag, 'belongs to the owner; see set-plan');
      }
      if (account !== undefined) addIssue('account', 'belongs to a new plan, not to an --owner');
      return { ...fields, tenant: owner };
    }
    if (plan === undefined) {
      addIssue('plan', 'is missing; give a plan or the --owner of an existing plan');
      return z.NEVER;
    }
    return {
      ...fields,
      ...(account !== undefined && { userId: account }),
      tenant: parsePlanTerms({ plan, ...limits }, addIssue) ?? z.NEVER,
    };
  },
);

export const createCommand = defineCommand({
  name: 'create',
  usage: `create --name <name> (--plan free|paid|enterprise ${PLAN_USAGE} [--account <CAIP-10>] | --owner <ownerId>) [--scopes <a,b>] [--type confidential|public] ${APPLICATION_USAGE}`,
  flags: ['name', 'type', 'scopes', 'owner', 'account', ...PLAN_FLAGS, ...APPLICATION_FLAGS],
  schema: createCommandSchema,
  run: async ({ clientApplications }, input) => {
    const created = await clientApplications.create(input);
    return { json: created, text: formatCreated(created) };
  },
});

const formatCreated = ({
  clientId,
  ownerId,
  clientSecret,
  keyId,
  apiKey,
}: CreatedClientApplication): string[] => [
  `client id      ${clientId}`,
  `owner id       ${ownerId}`,
  `client secret  ${clientSecret ?? 'none: a public client cannot keep one'}`,
  `API key        ${apiKey}`,
  `API key id     ${keyId}`,
  'Store the secret and the key now: they are not shown again.',
];

/** The client applications that are not deleted, oldest first, with the keys that are not revoked. */
function listClientApplications(database: Database) {
  return database.withConnection(async (manager) => {
    const clients = await manager.find(ClientApplication, {
      relations: { owner: true },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    const keys = await manager.find(ApiKey, {
      where: { revokedAt: IsNull() },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return clients.map(({ id, ownerId, name, type, owner, status, requestedScopes, approvedScopes }) => ({
      clientId: id,
      ownerId,
      name,
      type,
      plan: owner.plan,
      status,
      scopes: approvedScopes,
      awaitingScopes: requestedScopes.filter((scope) => !approvedScopes.includes(scope)),
      keys: keys.filter(({ clientId }) => clientId === id).map(toListedApiKey),
    }));
  });
}

const toListedApiKey = (key: ApiKey) => ({
  id: key.id,
  hint: formatCredentialHint(key),
  expiresAt: key.expiresAt,
});

export const listCommand = defineCommand({
  name: 'list',
  usage: 'list',
  flags: [],
  schema: z.object({}),
  run: async ({ database }) => {
    const clients = await listClientApplications(database);
    const text = clients.flatMap(
      ({ clientId, ownerId, name, plan, status, scopes, awaitingScopes, keys }) => [
        `${clientId}  ${name}  owner ${ownerId}  ${plan}  ${status}  ${scopes.join(',') || 'no scopes'}${awaitingScopes.length > 0 ? `  without ${awaitingScopes.join(',')}` : ''}`,
        ...keys.map(
          ({ id, hint, expiresAt }) =>
            `  key ${id}  ${hint}${expiresAt ? `  until ${expiresAt.toISOString()}` : ''}`,
        ),
      ],
    );
    return { json: { clients }, text: text.length > 0 ? text : ['No client applications yet.'] };
  },
});

export const setScopesCommand = defineCommand({
  name: 'set-scopes',
  usage: 'set-scopes <clientId> --scopes <a,b>',
  argument: 'clientId',
  flags: ['scopes'],
  schema: z.object({ clientId: z.string(), scopes: scopesFlag }),
  run: async ({ clientApplications }, { clientId, scopes }) => {
    await clientApplications.setScopes(clientId, scopes);
    return { json: { clientId, scopes }, text: [`${clientId} has ${scopes.join(', ') || 'no scopes'}`] };
  },
});

const changes = z.object({ clientId: z.string(), name: applicationName.optional(), ...applicationFlags });

export const setCommand = defineCommand({
  name: 'set',
  usage: `set <clientId> [--name <name>] ${APPLICATION_USAGE}`,
  argument: 'clientId',
  flags: ['name', ...APPLICATION_FLAGS],
  schema: changes,
  run: async ({ clientApplications }, { clientId, name, ...flags }) => {
    const fields = { ...(name === undefined ? {} : { name }), ...toApplicationFields(flags) };
    await clientApplications.update(clientId, fields);
    return {
      json: { clientId, ...fields },
      text: [`${clientId} is changed: ${Object.keys(fields).join(', ')}`],
    };
  },
});

export const setPlanCommand = defineCommand({
  name: 'set-plan',
  usage: `set-plan <ownerId> --plan free|paid|enterprise ${PLAN_USAGE}`,
  argument: 'ownerId',
  flags: PLAN_FLAGS,
  schema: z.object({ ownerId: z.string(), ...planFlags }).transform(({ ownerId, ...plan }, context) => {
    const terms = parsePlanTerms(plan, (flag, message) => {
      context.addIssue({ code: 'custom', path: [flag], message });
    });
    return { ownerId, terms: terms ?? z.NEVER };
  }),
  run: async ({ plans }, { ownerId, terms }) => {
    await plans.setPlan(COMMAND_LINE_ACTOR, ownerId, terms);
    return { json: { ownerId, ...terms }, text: [`${ownerId} has the ${terms.plan} plan`] };
  },
});

export const removeCommand = defineCommand({
  name: 'remove',
  usage: 'remove <clientId>',
  argument: 'clientId',
  flags: [],
  schema: z.object({ clientId: z.string() }),
  run: async ({ clientApplications }, { clientId }) => {
    await clientApplications.remove(clientId);
    return { json: { clientId }, text: [`${clientId} is removed, and its keys with it`] };
  },
});

export const createKeyCommand = defineCommand({
  name: 'create-key',
  usage: 'create-key <clientId>',
  argument: 'clientId',
  flags: [],
  schema: z.object({ clientId: z.string() }),
  run: async ({ apiKeys }, { clientId }) => {
    const { id, text } = await apiKeys.create(clientId);
    return { json: { keyId: id, apiKey: text }, text: [`API key     ${text}`, `API key id  ${id}`] };
  },
});

export const revokeKeyCommand = defineCommand({
  name: 'revoke-key',
  usage: 'revoke-key <keyId|apiKey> [--in-seconds <n>]',
  argument: 'key',
  flags: ['in-seconds'],
  schema: z.object({ key: z.string(), 'in-seconds': countFlag.optional() }),
  run: async ({ apiKeys }, { key, 'in-seconds': inSeconds }) => {
    const keyId = await apiKeys.revoke(key, inSeconds);
    const when = inSeconds === undefined ? 'revoked' : `ends in ${inSeconds} seconds`;
    return { json: { keyId }, text: [`API key ${keyId} ${when}`] };
  },
});

export const approveCommand = defineCommand({
  name: 'approve',
  usage: 'approve <clientId> [--scopes <a,b>]',
  argument: 'clientId',
  flags: ['scopes'],
  schema: z.object({ clientId: z.string(), scopes: scopesFlag.optional() }),
  run: async ({ approvals }, { clientId, scopes }) => {
    const { approvedScopes } = await approvals.approve(COMMAND_LINE_ACTOR, clientId, { scopes });
    const text = `${clientId} is approved and has ${approvedScopes.join(', ') || 'no scopes'}`;
    return { json: { clientId, scopes: approvedScopes }, text: [text] };
  },
});

export const rejectCommand = defineCommand({
  name: 'reject',
  usage: 'reject <clientId> --reason <text>',
  argument: 'clientId',
  flags: ['reason'],
  schema: z.object({ clientId: z.string(), reason: z.string().min(1).max(1_000) }),
  run: async ({ approvals }, { clientId, reason }) => {
    const { approvedScopes } = await approvals.reject(COMMAND_LINE_ACTOR, clientId, { reason });
    const text = `${clientId} is rejected and has ${approvedScopes.join(', ') || 'no scopes'}`;
    return { json: { clientId, scopes: approvedScopes }, text: [text] };
  },
});
