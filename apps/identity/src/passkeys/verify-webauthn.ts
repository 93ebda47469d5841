import { isIP } from 'node:net';
import type { AssertionResponse, RegistrationResponse } from './passkey.dto.js';
import type { PasskeyVerifier } from './passkeys.queries.js';

interface VerifiedAssertion {
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

/** The site for which passkeys are made (WebAuthn section 4, relying party identifier). */
export interface RelyingParty {
  /** The host of the login pages. Passkeys work for this host only, so it must never change. */
  readonly id: string;
  readonly origin: string;
}

/** Browsers make passkeys for host names over https, and for localhost. @returns undefined elsewhere */
export function findRelyingParty(authUrl: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(authUrl);
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  const isTrustworthy = protocol === 'https:' || hostname === 'localhost';
  return isAddress || !isTrustworthy ? undefined : { id: hostname, origin };
}

/** EdDSA, ES256 and RS256 (COSE algorithm ids). */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

export interface VerifiedRegistration {
  readonly challenge: string;
  readonly credentialId: Buffer;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  /** The kind of authenticator, as it says itself. */
  readonly aaguid: string;
}

const MAX_CREDENTIAL_ID_BYTES = 1_023;
const MAX_PUBLIC_KEY_BYTES = 2_048;

/** An answer that fails a check. The library throws plain errors for the rest of them. */
const refuse = (reason: string): never => {
  throw new Error(reason);
};

/**
 * Verifies the answer of an authenticator to a request for a new passkey. The library is loaded here, because most requests need
 * none of its 24 packages.
 * @returns undefined for an answer that is malformed or wrong in any way
 */
export async function verifyRegistration(
  response: RegistrationResponse,
  { id, origin }: RelyingParty,
  isChallengeValid: (challenge: string) => boolean,
): Promise<VerifiedRegistration | undefined> {
  const [{ verifyRegistrationResponse }, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  try {
    const { challenge, crossOrigin } = helpers.decodeClientDataJSON(response.response.clientDataJSON);
    if (crossOrigin === true) refuse('The passkey was made in a frame of another site');
    const attestation = helpers.decodeAttestationObject(
      helpers.isoBase64URL.toBuffer(response.response.attestationObject),
    );
    // An attestation is refused: with certificates the library would fetch revocation lists from URLs that the
    // certificate names.
    if (attestation.get('fmt') !== 'none') refuse('The passkey has an attestation, which nobody requested');
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: isChallengeValid,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    if (!verified) return undefined;
    const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo;
    const credentialId = Buffer.from(credential.id, 'base64url');
    const isTooLong =
      credentialId.length > MAX_CREDENTIAL_ID_BYTES || credential.publicKey.length > MAX_PUBLIC_KEY_BYTES;
    if (isTooLong || credentialId.toString('base64url') !== response.id) return undefined;
    return {
      challenge,
      credentialId,
      publicKey: credential.publicKey,
      counter: credential.counter,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      aaguid,
    };
  } catch {
    // The library reports what an authenticator or an attacker sent wrongly by errors of no class of its own.
    return undefined;
  }
}
