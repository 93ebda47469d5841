import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { loadOpenApiDocument, type Operation, parseOperations } from '@app/openapi';
import { AppError } from '@app/common';
import { type ClientPlan, type Scope, SCOPES } from '@app/dto';
import { MemoryRefusalStore } from '@app/limits';
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

/** Kinds of callers, by credential and scopes of client application and user. */
const CALLERS = {
  anonymous: ANONYMOUS_CALLER,
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
  const request = { requestContext: { operation, caller }, headers } as unknown as Request;
  try {
    guard.check(request);
    return 200;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.statusCode;
  }
}

/** The status of each kind of operation for a caller. */
function getStatuses(kind: CallerKind): Record<string, number> {
  const statuses: Record<string, number> = {};
  for (const operation of operations) {
    const { callerRequirement, scope = 'no scope' } = operation;
    const status = statusFor(operation, CALLERS[kind]);
    const name = `${callerRequirement}, ${scope}`;
    // Operations with the same requirements get the same status.
    expect([name, statuses[name] ?? status]).toEqual([name, status]);
    statuses[name] = status;
  }
  return statuses;
}

/** The distinct requirements of all operations: caller and scope. */
const REQUIREMENTS = [
  ...new Set(operations.map(({ callerRequirement, scope = 'no scope' }) => `${callerRequirement}, ${scope}`)),
];
const isFor = (requirement: string, ...callers: string[]) =>
  callers.includes(requirement.split(', ')[0] ?? '');
/** Without a scope that would limit a user's token, only API keys are accepted. */
const isForApiKeysOnly = (requirement: string) => requirement === 'client, no scope';
const getScope = (requirement: string) => requirement.split(', ')[1] ?? '';

/** The rules of contract.md section 1, per kind of caller. */
const EXPECTED: Record<CallerKind, (requirement: string) => number> = {
  anonymous: (requirement) => (isFor(requirement, 'none') ? 200 : 401),
  'a key without scopes': (requirement) => {
    if (isFor(requirement, 'none')) return 200;
    if (isFor(requirement, 'user')) return 401;
    return ['no scope', '$public'].includes(getScope(requirement)) ? 200 : 403;
  },
  'a key with all scopes': (requirement) =>
    isFor(requirement, 'user') ? 401 : getScope(requirement).startsWith('user:') ? 403 : 200,
  'an access token of a client application with all scopes': (requirement) =>
    isFor(requirement, 'user') ? 401 : 200,
  'a user with all scopes': (requirement) => (isForApiKeysOnly(requirement) ? 403 : 200),
  'a user with $public alone': (requirement) => {
    if (isForApiKeysOnly(requirement)) return 403;
    return isFor(requirement, 'none') || ['no scope', '$public'].includes(getScope(requirement)) ? 200 : 403;
  },
  'a user whose client application has none': (requirement) => {
    const scope = getScope(requirement);
    const isClientScope =
      scope.startsWith('community:') ||
      ['token-gating', 'accountkit', 'operator', 'user:client-application:write'].includes(scope);
    return isFor(requirement, 'none') || !(isClientScope || isForApiKeysOnly(requirement)) ? 200 : 403;
  },
  'an Ethereum credential': (requirement) => {
    if (isForApiKeysOnly(requirement)) return 403;
    return isFor(requirement, 'none') || ['no scope', ...READS].includes(getScope(requirement)) ? 200 : 403;
  },
};

describe('AuthorizeGuard', () => {
  it.each(Object.keys(CALLERS) as CallerKind[])(
    'AuthorizeGuard: authorizes %s by caller requirement and scope',
    (kind) => {
      const expected = Object.fromEntries(
        REQUIREMENTS.map((requirement) => [requirement, EXPECTED[kind](requirement)]),
      );
      expect(getStatuses(kind)).toEqual(expected);
    },
  );

  it('AuthorizeGuard: requires an API key beside a user token where no scope is required', () => {
    const challenge = operations.find(({ id }) => id === 'EthereumLoginController.getChallenge');
    if (!challenge) throw new Error('The challenge operation is missing');
    const user = CALLERS['a user with $public alone'];
    expect(statusFor(challenge, user)).toBe(403);
    expect(statusFor(challenge, user, { 'x-api-key': 'a verified key' })).toBe(200);
  });

  it('AuthorizeGuard: rejects a login with a passkey at exactly the operations that declare wallet_login_required', () => {
    const { paths } = loadOpenApiDocument();
    const declaring = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter((operation) => JSON.stringify(operation.responses).includes('wallet_login_required'))
      .map(({ operationId }) => operationId);
    const byPasskey = toAuthenticatedCaller(client(ALL), token(ALL, { ...USER, amr: ['pop', 'user'] }));
    const byWallet = CALLERS['a user with all scopes'];
    const rejected = operations.filter(
      (operation) => statusFor(operation, byPasskey) !== statusFor(operation, byWallet),
    );
    expect(rejected.map(({ id }) => id).sort()).toEqual(declaring.sort());
  });

  it.each<[string, Partial<Record<CallerKind, number>>]>([
    [
      'AccountController.getUserProfile',
      {
        anonymous: 401,
        'a key with all scopes': 401,
        'a user with $public alone': 200,
        'an Ethereum credential': 200,
      },
    ],
    [
      'AccessControlController.checkRoles',
      {
        anonymous: 401,
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
    ['JwksController.getJwks', { anonymous: 200, 'a key without scopes': 200 }],
  ])('AuthorizeGuard: gives the expected statuses for %s', (id, statuses) => {
    const operation = operations.find((candidate) => candidate.id === id);
    if (!operation) throw new Error(`There is no ${id}`);
    for (const [kind, status] of Object.entries(statuses))
      expect([kind, statusFor(operation, CALLERS[kind as CallerKind])]).toEqual([kind, status]);
  });
});
