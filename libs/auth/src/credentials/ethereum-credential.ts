import { DAY_MS, decodeBase64url } from '@app/common';

/** The parts of an unverified credential. */
interface EthereumCredentialParts {
  /** The signed message. Its grammar rejects non-ASCII characters later. */
  readonly text: string;
  /** `0x` and an even number of hex digits: none for a contract that approved the message on its chain, as a Safe can. */
  readonly signature: string;
}

/** The lifetime of every credential (contract.md section 4). */
export const ETHEREUM_CREDENTIAL_LIFETIME_MS = DAY_MS;

const MAX_CREDENTIAL_LENGTH = 8_192;
const CREDENTIAL_PATTERN = /^([\w-]+)\.(0x(?:[0-9a-fA-F]{2})*)$/;

/**
 * Parses `<base64url of the EIP-4361 message>.<0x signature>` (contract.md section 4). Undefined for an invalid format,
 * also for non-canonical base64url.
 */
export function parseEthereumCredential(credential: string): EthereumCredentialParts | undefined {
  if (credential.length > MAX_CREDENTIAL_LENGTH) return undefined;
  const [, encoded, signature] = CREDENTIAL_PATTERN.exec(credential) ?? [];
  if (encoded === undefined || signature === undefined) return undefined;
  const text = decodeBase64url(encoded)?.toString('latin1');
  return text === undefined ? undefined : { text, signature };
}
