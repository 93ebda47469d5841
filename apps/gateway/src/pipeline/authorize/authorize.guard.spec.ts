import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { loadOpenApiDocument, type Operation, parseOperations } from '@app/openapi';
import { AppError } from '@app/common';
import { type ClientPlan, type Scope, SCOPES } from '@app/dto';
import { MemoryRefusalStore } from '@app/rate-limits';
import {
  type AuthenticatedCaller,
  toAuthenticatedCaller,
  ANONYMOUS_CALLER,
} from '../../credentials/authenticated-caller.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { AuthorizeGuard } from './authorize.guard.js';

const guard = new AuthorizeGuard(new MemoryRefusalStore());
const operations = parseOperations(loadOpenApiDocument());
const ALL = Object.keys(SCOPES) as Scope[];
const READS: Scope[] = ['$public', 'user:read', 'user:wallet:read', 'user:community:read'];

const client = (scopes: readonly Scope[]): ClientPlan => ({
  clientId: 'client_1',
  ownerId: 'owner_1',
  plan: 'free',
  limits: { perSecond: 10, perMonth: 10_000 },
  scopes: [...scopes],
});

const token = (scopes: readonly Scope[], user?: VerifiedToken['user']): VerifiedToken => ({
  id: 'jti',
  clientId: 'client_1',
  user,
  scopes,
  expiresAtMs: Infinity,
});

const USER = { id: 'user_1' };

/** Kinds of callers, and what they have: who they name, and scopes on the side of the client application and of the user. */
const CALLERS = {
  nobody: ANONYMOUS_CALLER,
  'a key without scopes': toAuthenticatedCaller(client([])),
  'a key with all scopes': toAuthenticatedCaller(client(ALL)),
  'an access token of a client application with all scopes': toAuthenticatedCaller(client(ALL), token(ALL)),
  'a user with all scopes': toAuthenticatedCaller(client(ALL), token(ALL, USER)),
  'a user with $public alone': toAuthenticatedCaller(client(ALL), token(['$public'], USER)),
  'a user whose client application has none': toAuthenticatedCaller(client([]), token(ALL, USER)),
  'an Ethereum credential': toAuthenticatedCaller(client(ALL), token(READS, USER)),
} as const;
type CallerKind = keyof typeof CALLERS;

function statusFor(
  operation: Operation,
  caller: AuthenticatedCaller,
  headers: Record<string, string> = {},
): number {
  const request = { requestContext: { operation, caller }, headers };
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  try {
    guard.canActivate(context);
    return 200;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.statusCode;
  }
}

/** Operations of each kind that a caller is answered so. */
function answersTo(kind: CallerKind): Record<string, number> {
  const answers: Record<string, number> = {};
  for (const operation of operations) {
    const { callerRequirement, scope = 'no scope' } = operation;
    const status = statusFor(operation, CALLERS[kind]);
    const name = `${callerRequirement}, ${scope}`;
    // Operations with the same needs are answered alike.
    expect([name, answers[name] ?? status]).toEqual([name, status]);
    answers[name] = status;
  }
  return answers;
}

/** Needs of all operations there are: who, and which scope. */
const NEEDS = [
  ...new Set(operations.map(({ callerRequirement, scope = 'no scope' }) => `${callerRequirement}, ${scope}`)),
];
const isFor = (need: string, ...callers: string[]) => callers.includes(need.split(', ')[0] ?? '');
/** No scope says what a user's token may do there. */
const isOfClientsAlone = (need: string) => need === 'client, no scope';
const scopeIn = (need: string) => need.split(', ')[1] ?? '';

/** contract.md section 1, once more, in the words of the callers. */
const EXPECTED: Record<CallerKind, (need: string) => number> = {
  nobody: (need) => (isFor(need, 'none') ? 200 : 401),
  'a key without scopes': (need) => {
    if (isFor(need, 'none')) return 200;
    if (isFor(need, 'user')) return 401;
    return ['no scope', '$public'].includes(scopeIn(need)) ? 200 : 403;
  },
  'a key with all scopes': (need) =>
    isFor(need, 'user') ? 401 : scopeIn(need).startsWith('user:') ? 403 : 200,
  'an access token of a client application with all scopes': (need) => (isFor(need, 'user') ? 401 : 200),
  'a user with all scopes': (need) => (isOfClientsAlone(need) ? 403 : 200),
  'a user with $public alone': (need) => {
    if (isOfClientsAlone(need)) return 403;
    return isFor(need, 'none') || ['no scope', '$public'].includes(scopeIn(need)) ? 200 : 403;
  },
  'a user whose client application has none': (need) => {
    const scope = scopeIn(need);
    const isOfBoth =
      scope.startsWith('community:') ||
      ['token-gating', 'accountkit', 'operator', 'user:client-application:write'].includes(scope);
    return isFor(need, 'none') || !(isOfBoth || isOfClientsAlone(need)) ? 200 : 403;
  },
  'an Ethereum credential': (need) => {
    if (isOfClientsAlone(need)) return 403;
    return isFor(need, 'none') || ['no scope', ...READS].includes(scopeIn(need)) ? 200 : 403;
  },
};

describe('who may use which operation', () => {
  it.each(Object.keys(CALLERS) as CallerKind[])('%s', (kind) => {
    const expected = Object.fromEntries(NEEDS.map((need) => [need, EXPECTED[kind](need)]));
    expect(answersTo(kind)).toEqual(expected);
  });

  it('a user beside the key of the client application, where no scope is asked for', () => {
    const challenge = operations.find(({ id }) => id === 'EthereumLoginController.getChallenge');
    if (!challenge) throw new Error('There is no challenge');
    const user = CALLERS['a user with $public alone'];
    expect(statusFor(challenge, user)).toBe(403);
    expect(statusFor(challenge, user, { 'x-api-key': 'one that was found good' })).toBe(200);
  });

  it.each<[string, Partial<Record<CallerKind, number>>]>([
    [
      'AccountController.getUserProfile',
      {
        nobody: 401,
        'a key with all scopes': 401,
        'a user with $public alone': 200,
        'an Ethereum credential': 200,
      },
    ],
    [
      'AccessControlController.checkRoles',
      {
        nobody: 401,
        'a key with all scopes': 200,
        'a key without scopes': 403,
        'an Ethereum credential': 403,
      },
    ],
    ['AccountController.addWalletAddress', { 'an Ethereum credential': 403, 'a user with all scopes': 200 }],
    [
      'AccountKitController.mint',
      { 'a user whose client application has none': 403, 'a key with all scopes': 200 },
    ],
    ['JwksController.getJwks', { nobody: 200, 'a key without scopes': 200 }],
  ])('as for %s', (id, statuses) => {
    const operation = operations.find((one) => one.id === id);
    if (!operation) throw new Error(`There is no ${id}`);
    for (const [kind, status] of Object.entries(statuses))
      expect([kind, statusFor(operation, CALLERS[kind as CallerKind])]).toEqual([kind, status]);
  });
});
