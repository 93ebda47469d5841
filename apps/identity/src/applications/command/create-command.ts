import { z } from 'zod';
import { applicationName } from '../client-application-fields.js';
import type { CreatedClientApplication } from '../insert-client-application.js';
import {
  APPLICATION_FLAGS,
  APPLICATION_USAGE,
  applicationFlags,
  toApplicationFields,
} from './application-flags.js';
import { defineCommand } from './define-command.js';
import { scopesFlag } from './flag-schemas.js';
import { PLAN_FLAGS, PLAN_USAGE, planFlags, parsePlanTerms } from './plan-flags.js';

const flags = z.object({
  name: applicationName,
  type: z.enum(['confidential', 'public']).default('confidential'),
  scopes: scopesFlag.default([]),
  owner: z.string().optional(),
  ...planFlags,
  plan: planFlags.plan.optional(),
  ...applicationFlags,
});

/** Takes either the plan of a new tenant, or the id of an existing tenant as --owner. */
const createCommandSchema = flags.transform(({ name, type, scopes, owner, plan, ...rest }, context) => {
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
    return { ...fields, tenant: owner };
  }
  if (plan === undefined) {
    addIssue('plan', 'is missing; give a plan or the --owner of an existing plan');
    return z.NEVER;
  }
  return { ...fields, tenant: parsePlanTerms({ plan, ...limits }, addIssue) ?? z.NEVER };
});

export const createCommand = defineCommand({
  name: 'create',
  usage: `create --name <name> (--plan free|paid|enterprise ${PLAN_USAGE} | --owner <ownerId>) [--scopes <a,b>] [--type confidential|public] ${APPLICATION_USAGE}`,
  flags: ['name', 'type', 'scopes', 'owner', ...PLAN_FLAGS, ...APPLICATION_FLAGS],
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
