import { decodeBase64url } from './base64url.js';

/** What stands after `Ethereum` in the header. Nothing of it has been checked yet. */
export interface EthereumCredentialParts {
  /** The message that was signed; what is not ASCII its grammar refuses. */
  readonly text: string;
  /** `0x` and hex digits of whole bytes. */
  readonly signature: string;
}

/** contract.md section 4: no credential is made for longer, and none for less. */
export const ETHEREUM_CREDENTIAL_LIFETIME_MS = 24 * 3_600_000;

const MAX_CREDENTIAL_LENGTH = 8_192;
const CREDENTIAL_PATTERN = /^([\w-]+)\.(0x(?:[0-9a-fA-F]{2})+)$/;

/**
 * Reads `<base64url of the EIP-4361 message>.<0x signature>` (contract.md section 4). Undefined for everything else, also
 * for another spelling of the same message.
 */
export function parseEthereumCredential(credential: string): EthereumCredentialParts | undefined {
  if (credential.length > MAX_CREDENTIAL_LENGTH) return undefined;
  const [, encoded, signature] = CREDENTIAL_PATTERN.exec(credential) ?? [];
  if (encoded === undefined || signature === undefined) return undefined;
  const text = decodeBase64url(encoded)?.toString('latin1');
  return text === undefined ? undefined : { text, signature };
}
