import type { LoginMethods, Principal } from '@app/auth';
import { AppError, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import type { Scope } from '@app/dto';
import { OperationClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { z } from 'zod';
import { TokenGatingClientConfig } from './token-gating-client.js';

/** A community with rules as large as a request may be, and its texts as JSON may escape them. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const ENDPOINTS = '/client-applications/{clientId}/callback-endpoints';
const ENDPOINT = `${ENDPOINTS}/{endpointId}`;

/** Public operations of token-gating that the portal calls, by their operation ids; portal-api.spec.ts compares them with the OpenAPI document. */
export const PORTAL_OPERATIONS = {
  'AccessControlController.getRoles': { method: 'GET', path: '/access-control/{communityId}/{userId}/roles' },
  'BalanceCheckController.requestBalanceCheck': {
    method: 'POST',
    path: '/communities/{communityId}/balance-checks',
  },
  'BalanceCheckController.listBalanceChecks': {
    method: 'GET',
    path: '/communities/{communityId}/balance-checks',
  },
  'CallbackEndpointController.listCallbackEndpoints': { method: 'GET', path: ENDPOINTS },
  'CallbackEndpointController.createCallbackEndpoint': { method: 'POST', path: ENDPOINTS },
  'CallbackEndpointController.getCallbackEndpoint': { method: 'GET', path: ENDPOINT },
  'CallbackEndpointController.changeCallbackEndpoint': { method: 'PATCH', path: ENDPOINT },
  'CallbackEndpointController.deleteCallbackEndpoint': { method: 'DELETE', path: ENDPOINT },
  'CallbackEndpointController.rotateCallbackEndpointSecret': {
    method: 'POST',
    path: `${ENDPOINT}/secret-rotations`,
  },
  'CallbackEndpointController.testCallbackEndpoint': { method: 'POST', path: `${ENDPOINT}/test` },
  'CallbackEndpointController.listCallbackEndpointDeliveries': {
    method: 'GET',
    path: `${ENDPOINT}/deliveries`,
  },
  'CallbackEndpointController.redeliverToCallbackEndpoint': {
    method: 'POST',
    path: `${ENDPOINT}/deliveries/{deliveryId}/redeliveries`,
  },
  'CallbackEndpointController.recoverCallbackEndpoint': { method: 'POST', path: `${ENDPOINT}/recoveries` },
  'CommunityController.createCommunity': { method: 'POST', path: '/communities' },
  'CommunityController.getCommunity': { method: 'GET', path: '/communities/{communityId}' },
  'CommunityController.changeCommunity': { method: 'PATCH', path: '/communities/{communityId}' },
  'CommunityController.deleteCommunity': { method: 'DELETE', path: '/communities/{communityId}' },
  'CommunityAdministratorController.listAdministrators': {
    method: 'GET',
    path: '/communities/{communityId}/administrators',
  },
  'CommunityAdministratorController.addAdministrator': {
    method: 'PUT',
    path: '/communities/{communityId}/administrators/{userId}',
  },
  'CommunityAdministratorController.removeAdministrator': {
    method: 'DELETE',
    path: '/communities/{communityId}/administrators/{userId}',
  },
  'CommunityClientController.listClients': {
    method: 'GET',
    path: '/communities/{communityId}/client-applications',
  },
  'CommunityClientController.attachClient': {
    method: 'PUT',
    path: '/communities/{communityId}/client-applications/{clientId}',
  },
  'CommunityClientController.detachClient': {
    method: 'DELETE',
    path: '/communities/{communityId}/client-applications/{clientId}',
  },
  'CommunityInvitationController.renewInvitation': {
    method: 'POST',
    path: '/communities/{communityId}/invitations',
  },
  'CommunityMemberController.listMembers': { method: 'GET', path: '/communities/{communityId}/members' },
  'CommunityMemberController.joinCommunity': { method: 'POST', path: '/communities/{communityId}/members' },
  'CommunityMemberController.leaveCommunity': {
    method: 'DELETE',
    path: '/communities/{communityId}/members/me',
  },
  'CommunityMemberController.removeMember': {
    method: 'DELETE',
    path: '/communities/{communityId}/members/{userId}',
  },
  'CommunityRoleController.listRoles': { method: 'GET', path: '/communities/{communityId}/roles' },
  'CommunityRoleController.createRole': { method: 'POST', path: '/communities/{communityId}/roles' },
  'CommunityRoleController.changeRole': {
    method: 'PATCH',
    path: '/communities/{communityId}/roles/{roleId}',
  },
  'CommunityRoleController.deleteRole': {
    method: 'DELETE',
    path: '/communities/{communityId}/roles/{roleId}',
  },
  'CommunityRuleController.getRules': { method: 'GET', path: '/communities/{communityId}/rules' },
  'CommunityRuleController.replaceRules': { method: 'PUT', path: '/communities/{communityId}/rules' },
} as const satisfies Record<string, { method: Method; path: string }>;

export type PortalOperation = keyof typeof PORTAL_OPERATIONS;

/** What a user may do with their own communities; the access of operations is decided by token-gating. */
const PORTAL_USER_SCOPES: Scope[] = [
  'user:read',
  'user:wallet:read',
  'user:community:read',
  'community:read',
  'community:write',
];

/** What an owner may do with the endpoints of their applications. Signed for these operations alone, because it opens more. */
const APPLICATION_OWNER_SCOPES: Scope[] = ['user:client-application:write'];

const isOfEndpoints = (operation: PortalOperation): boolean =>
  operation.startsWith('CallbackEndpointController.');

const findScopes = (operation: PortalOperation): Scope[] =>
  isOfEndpoints(operation) ? APPLICATION_OWNER_SCOPES : PORTAL_USER_SCOPES;

/** The user of a browser session. */
export interface PortalUser {
  readonly userId: string;
  /** The wallet that signed in, CAIP-10; null for a login with a passkey. */
  readonly account: string | null;
  readonly amr: LoginMethods | null;
  readonly signedInAt: Date;
}

export interface PortalRequest {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** An undefined parameter is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Default: 2,000. */
  readonly timeoutMs?: number;
}

function toPath(template: string, { params = {}, query = {} }: PortalRequest): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

const toPrincipal = (
  { userId, account, amr, signedInAt }: PortalUser,
  operation: PortalOperation,
): Principal => ({
  kind: 'caller',
  user: {
    id: userId,
    ...(account === null ? {} : { account }),
    ...(amr === null ? {} : { amr: [...amr] }),
    authTime: Math.floor(signedInAt.getTime() / 1_000),
  },
  scopes: findScopes(operation),
});

/** An app of the release before ADR 114 does not believe the token. */
const UNAUTHORIZED = 401;

/** @param what the page is about */
export const portalUnavailable = (cause: unknown, what = 'Communities') =>
  serviceUnavailable(
    'communities_unavailable',
    `${what} cannot be looked up at the moment.`,
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

/**
 * Public operations of token-gating for the portal, in the right of its signed-in user: what the user may do is decided there, as for every client
 * (docs/adr/0114-pages-call-public-operations.md). Requests do not pass the gateway's pipeline, so that they count towards no plan.
 */
@Injectable()
export class PortalApi implements OnApplicationShutdown {
  private readonly client: OperationClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingClientConfig) {
    const options = { signingKey, app: 'token-gating', origin, maxBytes: MAX_RESPONSE_BYTES };
    this.client = new OperationClient({ ...options, connections: 8 });
  }

  /**
   * @param schema what the page needs of the response, which is undefined for an operation that returns nothing
   * @throws AppError the operation's own, or 503 while token-gating is away
   */
  async call<S extends z.ZodType>(
    user: PortalUser,
    operation: PortalOperation,
    request: PortalRequest,
    schema: S,
  ): Promise<z.output<S>> {
    const { method, path: template } = PORTAL_OPERATIONS[operation];
    const { headers, body, timeoutMs } = request;
    const json = await this.client
      .call(toPrincipal(user, operation), {
        operation,
        method,
        path: toPath(template, request),
        ...(headers && { headers }),
        ...(body && { body }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
      .catch((error: unknown) => {
        throw error instanceof AppError && error.statusCode !== UNAUTHORIZED
          ? error
          : portalUnavailable(error, isOfEndpoints(operation) ? 'Callback endpoints' : undefined);
      });
    return schema.parse(json);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
