import { applyDecorators, SetMetadata } from '@nestjs/common';
import { forbidden } from '@app/common';
import { z } from 'zod';

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
