import { applyDecorators, SetMetadata } from '@nestjs/common';
import { forbidden, unauthorized } from '@app/common';
import { z } from 'zod';
import { knownScopes } from '@app/dto';
import type { RequestHeaderName } from '@app/openapi';

/**
 * How a user signed in (RFC 8176): `pop` is a signature by a wallet; a passkey adds `user`, and `hwk` if its key stays on one device.
 * Absent in tokens, sessions and rows of earlier releases, whose logins were all by wallet.
 */
export const loginMethods = z.array(z.string().max(16)).max(8);
export type LoginMethods = readonly string[];

export const WALLET_LOGIN_METHODS: LoginMethods = ['pop'];

/** Anything but the methods of a wallet login counts as weaker, including methods of a later release. */
export const isWalletLogin = (amr: LoginMethods | null | undefined): boolean =>
  amr === null || amr === undefined || (amr.length === 1 && amr[0] === 'pop');

/**
 * The header parameters of an access token whose login was not by wallet. A verifier that does not know a parameter that `crit` names refuses
 * the token (RFC 7515 section 4.1.11). So a gateway of the release before passkeys, which ignores the claim `amr`, does not take the token for
 * one of the wallet.
 */
export const weakLoginHeader = z.strictObject({ crit: z.tuple([z.literal('amr')]), amr: loginMethods });

export const toLoginHeader = (
  amr: LoginMethods | undefined,
): { crit: ['amr']; amr: LoginMethods } | undefined =>
  amr === undefined || isWalletLogin(amr) ? undefined : { crit: ['amr'], amr };

export const walletLoginRequired = () =>
  forbidden(
    'wallet_login_required',
    'Sign in again with your wallet: a login with a passkey does not suffice for this operation.',
  );

export const WALLET_LOGIN_METADATA_KEY = 'gatehouse:wallet-login';

/** The operation rejects users who signed in with a passkey, because a passkey must not weaken a wallet. */
export const RequireWalletLogin = (): MethodDecorator =>
  applyDecorators(SetMetadata(WALLET_LOGIN_METADATA_KEY, true));

export type SignedInUser = NonNullable<Extract<Principal, { kind: 'caller' }>['user']>;

/** The signed-in user, whose presence the gateway has checked. @throws AppError 401 without a user */
export function requireSignedInUser(principal: Principal): SignedInUser {
  if (principal.kind !== 'caller' || !principal.user)
    throw unauthorized('user_required', 'This operation requires a signed-in user.');
  return principal.user;
}

/**
 * The authenticated identity of a request, which services get from a verified principal token.
 * `service` is another app, for `/internal/*` only; `publishable` is a browser with the publishable id of an application.
 */
export const principal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({ kind: z.literal('service'), name: z.string() }),
  z.object({
    kind: z.literal('caller'),
    client: z.object({ id: z.string(), ownerId: z.string(), plan: z.string() }).optional(),
    user: z
      .object({
        id: z.string(),
        /** The wallet that signed in, as a CAIP-10 account id; absent for a login without a wallet. */
        account: z.string().optional(),
        /** Time of the login in Unix seconds, if known. */
        authTime: z.int().optional(),
        amr: loginMethods.optional(),
        /** When the presented token was issued, in Unix seconds; absent for a message that the user signed. */
        tokenIssuedAt: z.int().optional(),
      })
      .optional(),
    scopes: knownScopes,
  }),
  // A kind of its own: what a caller may do is refused to it unless an operation names it, also by apps of a release before.
  z.object({
    kind: z.literal('publishable'),
    /** `ownerId` stands for the browsers of the tenant, so that they take a share beside that of its keys. */
    client: z.object({ id: z.string(), ownerId: z.string(), plan: z.string() }),
  }),
]);

export type Principal = Readonly<z.infer<typeof principal>>;

/** The tenant whose share of memory, reads and connections a request takes; empty for an anonymous one. */
export function getTenantId(principal: Principal): string {
  if (principal.kind === 'caller') return principal.client?.ownerId ?? principal.user?.id ?? '';
  return principal.kind === 'publishable' ? principal.client.ownerId : '';
}

export const ANONYMOUS_PRINCIPAL: Principal = Object.freeze({ kind: 'anonymous' });

/** The only header that services trust. Clients cannot send it, because the gateway forwards headers by allow-list. */
export const PRINCIPAL_HEADER = 'x-gatehouse-principal' satisfies RequestHeaderName;

/** Explicit `typ`, so that no other token passes as a principal token (RFC 8725 section 3.11). */
export const PRINCIPAL_TOKEN_TYPE = 'principal+jwt';

export const PRINCIPAL_TOKEN_LIFETIME_SECONDS = 60;

/** Shorter than the lifetime, so that a cached token has at least 30 s left when it is sent. */
export const PRINCIPAL_TOKEN_CACHE_TTL_MS = 30_000;

/** The app that may issue principal tokens for all callers. */
export const GATEWAY_ISSUER = 'gateway';

/** The app that signs users in. For its pages it issues principal tokens for users who use no client application. */
export const PAGES_ISSUER = 'identity';
