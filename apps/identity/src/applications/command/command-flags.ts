import { deriveUserId } from '@app/auth';
import { z } from 'zod';
import {
  iconUrl,
  idTokenAlg,
  origins,
  redirectUris,
  tokenResponseFormat,
} from '../client-application-fields.js';
import type { ClientApplicationFields } from '../insert-client-application.js';
import { planName, scope, type Scope } from '@app/dto';
import { MAX_OWNERSHIP_LIMIT, type PlanTerms } from '../plans/plan-terms.js';

export const countFlag = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number above 0')
  .transform(Number);

/** Comma-separated scopes. */
export const scopesFlag = z.string().transform((text, context): Scope[] => {
  const names = [...new Set(text.split(',').filter((name) => name !== ''))];
  const unknown = names.filter((name) => !scope.safeParse(name).success);
  if (unknown.length === 0) return z.array(scope).parse(names);
  const message = `not a scope: ${unknown.join(', ')}; the scopes are ${scope.options.join(', ')}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const REQUEST_FLAGS = ['requests-per-second', 'requests-per-month'] as const;
const OWNERSHIP_FLAGS = ['max-client-applications', 'max-api-keys'] as const;
const LIMIT_FLAGS = [...REQUEST_FLAGS, ...OWNERSHIP_FLAGS] as const;

export const PLAN_FLAGS = ['plan', ...LIMIT_FLAGS];

/** The limits of an enterprise plan on the command line. */
export const PLAN_USAGE =
  '[--requests-per-second <n> --requests-per-month <n> [--max-client-applications <n>] [--max-api-keys <n>]]';

/** The account with whose key a user signs in, as the user's id. */
export const ownerAccountFlag = z
  .string()
  .regex(/^eip155:[1-9]\d{0,15}:0x[0-9a-fA-F]{40}$/, 'must be a CAIP-10 id like eip155:1:0x…')
  .transform((account) => deriveUserId('ethereum', (account.split(':')[2] ?? '').toLowerCase()));

const ownershipFlag = countFlag.refine(
  (count) => count <= MAX_OWNERSHIP_LIMIT,
  `must be at most ${MAX_OWNERSHIP_LIMIT}`,
);

/** The flags of a tenant's plan. */
export const planFlags = {
  plan: planName,
  'requests-per-second': countFlag.optional(),
  'requests-per-month': countFlag.optional(),
  'max-client-applications': ownershipFlag.optional(),
  'max-api-keys': ownershipFlag.optional(),
};

type PlanFlags = z.output<z.ZodObject<typeof planFlags>>;

/** An enterprise plan requires the limits of requests and may have others; the other plans forbid all. @returns undefined after addIssue */
export function parsePlanTerms(
  flags: PlanFlags,
  addIssue: (flag: string, message: string) => void,
): PlanTerms | undefined {
  const { plan, 'requests-per-second': perSecond, 'requests-per-month': perMonth } = flags;
  if (plan === 'enterprise') {
    const ownership = {
      maxClientApplications: flags['max-client-applications'] ?? null,
      maxApiKeys: flags['max-api-keys'] ?? null,
    };
    if (perSecond !== undefined && perMonth !== undefined) return { plan, perSecond, perMonth, ...ownership };
    for (const flag of REQUEST_FLAGS)
      if (flags[flag] === undefined) addIssue(flag, 'is needed for an enterprise plan');
    return undefined;
  }
  const given = LIMIT_FLAGS.filter((flag) => flags[flag] !== undefined);
  for (const flag of given) addIssue(flag, `is for an enterprise plan; the ${plan} plan has its own limits`);
  return given.length > 0 ? undefined : { plan, perSecond: null, perMonth: null };
}

export const APPLICATION_FLAGS = [
  'redirect-uris',
  'post-logout-redirect-uris',
  'origins',
  'icon-url',
  'implicit',
  'id-token-alg',
  'token-response',
];

export const APPLICATION_USAGE =
  '[--redirect-uris "<uri> <uri>"] [--post-logout-redirect-uris "<uri> <uri>"] [--origins "<origin> <origin>"] [--icon-url <url>] [--implicit on|off] [--id-token-alg RS256|ES256] [--token-response form|json]';

/** Separated by spaces, because URIs may contain commas. */
const wordsFlag = z.string().transform((text) => text.split(/\s+/).filter((word) => word !== ''));

/** Flags for the fields of a client application, except its name. */
export const applicationFlags = {
  'redirect-uris': wordsFlag.pipe(redirectUris).optional(),
  'post-logout-redirect-uris': wordsFlag.pipe(redirectUris).optional(),
  origins: wordsFlag.pipe(origins).optional(),
  'icon-url': iconUrl.optional(),
  implicit: z
    .enum(['on', 'off'])
    .transform((text) => text === 'on')
    .optional(),
  'id-token-alg': idTokenAlg.optional(),
  'token-response': tokenResponseFormat.optional(),
};

type ApplicationFlags = z.output<z.ZodObject<typeof applicationFlags>>;

/** Omits flags that were not given, so that those fields stay unchanged. */
export function toApplicationFields(
  flags: ApplicationFlags,
): Partial<Omit<ClientApplicationFields, 'name' | 'type'>> {
  const fields = {
    redirectUris: flags['redirect-uris'],
    postLogoutRedirectUris: flags['post-logout-redirect-uris'],
    origins: flags.origins,
    iconUrl: flags['icon-url'],
    implicit: flags.implicit,
    idTokenAlg: flags['id-token-alg'],
    tokenResponse: flags['token-response'],
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
