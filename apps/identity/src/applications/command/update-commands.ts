import { z } from 'zod';
import { COMMAND_LINE_ACTOR } from '../audit/audit-action.js';
import { applicationName } from '../client-application-fields.js';
import {
  APPLICATION_FLAGS,
  APPLICATION_USAGE,
  applicationFlags,
  toApplicationFields,
} from './application-flags.js';
import { defineCommand } from './define-command.js';
import { scopesFlag } from './flag-schemas.js';
import { PLAN_FLAGS, PLAN_USAGE, planFlags, parsePlanTerms } from './plan-flags.js';

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
