export {
  type Callback,
  createKeySource,
  type HeaderSource,
  type KeySet,
  type KeySource,
  type PublicKey,
  receiveCallback,
  type ReceivedCallback,
  verifyCallback,
  type VerifyOptions,
} from './callbacks.js';
export {
  checkPublishedRules,
  checkRoles,
  checkRolesAsync,
  readRole,
  type RoleAnswer,
  type RoleCheck,
  type RoleVerdict,
  waitForRoles,
  type WaitOptions,
} from './checks.js';
export { type AccessTokenSource, type Client, type ClientOptions, createClient } from './client.js';
export { ConnectionError, type ErrorCode, type ErrorFacts, GatehouseError, type Issue } from './errors.js';
export {
  AuthorizationError,
  type AuthorizationOptions,
  type AuthorizationRequest,
  createAuthorizationRequest,
  createTokenSource,
  exchangeCode,
  type OAuthApplication,
  type OAuthTokens,
  readAuthorizationCode,
  refreshTokens,
  requestClientToken,
  type TokenSourceOptions,
  type TokenStore,
} from './oauth.js';
export type { components, ErrorCode as KnownErrorCode, operations, paths } from './openapi.js';
export { paginate } from './paginate.js';
export {
  type Answer,
  type IdempotencyKeyRoute,
  type IdempotencyOptions,
  request,
  requestAnswer,
  type RequestArguments,
  type RequestOptions,
} from './request.js';
export { type RetryOptions } from './retry.js';
export {
  createRoleFollower,
  type FollowedRoles,
  type Joined,
  type RoleFollower,
  type RoleFollowerOptions,
} from './role-follower.js';
export type { Input, Item, Output, PagedRoute, Route } from './routes.js';
