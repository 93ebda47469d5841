import { z } from 'zod';
import { COMMAND } from '../audit/actor.js';
import { APPLICATION_FLAGS, APPLICATION_USAGE, applicationFlags, toFields } from './application-flags.js';
import { defineCommand } from './define-command.js';
import { flagName, flagScopes } from './flag-types.js';
import { PLAN_FLAGS, planFlags, toPlanTerms } from './plan-flags.js';

export const setScopes = defineCommand({
  name: 'set-scopes',
  usage: 'set-scopes <clientId> --scopes <a,b>',
  argument: 'clientId',
  flags: ['scopes'],
  schema: z.object({ clientId: z.string(), scopes: flagScopes }),
  run: async ({ clients }, { clientId, scopes }) => {
    await clients.setScopes(clientId, scopes);
    return { json: { clientId, scopes }, text: [`${clientId} has ${scopes.join(', ') || 'no scopes'}`] };
  },
});

const changes = z.object({ clientId: z.string(), name: flagName.optional(), ...applicationFlags });

export const set = defineCommand({
  name: 'set',
  usage: `set <clientId> [--name <name>] ${APPLICATION_USAGE}`,
  argument: 'clientId',
  flags: ['name', ...APPLICATION_FLAGS],
  schema: changes,
  run: async ({ clients }, { clientId, name, ...flags }) => {
    const fields = { ...(name === undefined ? {} : { name }), ...toFields(flags) };
    await clients.set(clientId, fields);
    return {
      json: { clientId, ...fields },
      text: [`${clientId} is changed: ${Object.keys(fields).join(', ')}`],
    };
  },
});

export const setPlan = defineCommand({
  name: 'set-plan',
  usage:
    'set-plan <ownerId> --plan free|paid|enterprise [--requests-per-second <n> --requests-per-month <n>]',
  argument: 'ownerId',
  flags: PLAN_FLAGS,
  schema: z.object({ ownerId: z.string(), ...planFlags }).transform(({ ownerId, ...plan }, context) => {
    const terms = toPlanTerms(plan, (flag, message) => {
      context.addIssue({ code: 'custom', path: [flag], message });
    });
    return { ownerId, terms: terms ?? z.NEVER };
  }),
  run: async ({ planHolders }, { ownerId, terms }) => {
    await planHolders.setPlan(COMMAND, ownerId, terms);
    return { json: { ownerId, ...terms }, text: [`${ownerId} has the ${terms.plan} plan`] };
  },
});

export const remove = defineCommand({
  name: 'remove',
  usage: 'remove <clientId>',
  argument: 'clientId',
  flags: [],
  schema: z.object({ clientId: z.string() }),
  run: async ({ clients }, { clientId }) => {
    await clients.remove(clientId);
    return { json: { clientId }, text: [`${clientId} is removed, and its keys with it`] };
  },
});
