import type { AssertionResponse } from './passkey.dto.js';
import type { PasskeyVerifier } from './passkeys.queries.js';
import type { RelyingParty } from './relying-party.js';

export interface VerifiedAssertion {
  readonly challenge: string;
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/**
 * Verifies the answer of an authenticator to a request for a login. The counter is compared where it is stored.
 * @returns undefined for an answer that is malformed or wrong in any way
 */
export async function verifyAssertion(
  response: AssertionResponse,
  { userHandle, publicKey, isBackupEligible }: PasskeyVerifier,
  { id, origin }: RelyingParty,
  isChallengeValid: (challenge: string) => boolean,
): Promise<VerifiedAssertion | undefined> {
  if (!Buffer.from(response.response.userHandle, 'base64url').equals(userHandle)) return undefined;
  const [{ verifyAuthenticationResponse }, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  try {
    const { challenge, crossOrigin } = helpers.decodeClientDataJSON(response.response.clientDataJSON);
    if (crossOrigin === true) return undefined;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: isChallengeValid,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: { id: response.id, publicKey: Uint8Array.from(publicKey), counter: 0 },
    });
    const { newCounter: counter, credentialDeviceType, credentialBackedUp: isBackedUp } = authenticationInfo;
    const isSameKind = (credentialDeviceType === 'multiDevice') === isBackupEligible;
    return verified && isSameKind ? { challenge, counter, isBackedUp } : undefined;
  } catch {
    // The library reports what an authenticator or an attacker sent wrongly by errors of no class of its own.
    return undefined;
  }
}
