import { MINUTE_MS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import {
  deriveUserId,
  ETHEREUM_CREDENTIAL_LIFETIME_MS,
  type EthereumCredentialGrant,
  isValidSignInNonce,
  NONCE_PLACEHOLDER,
  parseEthereumCredential,
  parseEthereumCredentialGrant,
} from '@app/auth';
import {
  formatSignInMessage,
  parseSignInMessage,
  parseSignInMessageWithSiwe,
  recoverSigner,
  type SignInMessage,
} from '@app/chain/sign-in';
import { ContractWalletSignatureService } from '../../credentials/contract-wallet-signature.service.js';
import { type FindKey, TokenKeyCache } from '../../credentials/token-key-cache.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { GatewayConfig } from '../../gateway.config.js';
import { createCredentialReader } from './credential-headers.js';
import { HeaderStrategy, MAX_CLOCK_SKEW_MS } from './strategies.js';

/** A validated credential, except for its signature. */
interface EthereumCredential extends EthereumCredentialGrant {
  /** The signed text. */
  readonly text: string;
  /** `0x` and hex digits. */
  readonly signature: string;
  readonly message: SignInMessage;
  readonly expiresAtMs: number;
}

/**
 * Validates all of a credential but its signature. Undefined for a malformed one, a login message, another service,
 * a lifetime outside its bounds, or a nonce that was not issued for this message.
 */
export function validateEthereumCredential(
  credential: string,
  publicUrl: string,
  findNonceKey: FindKey<'nonce'>,
): EthereumCredential | undefined {
  const { text = '', signature = '' } = parseEthereumCredential(credential) ?? {};
  const parsed = parseSignInMessage(text);
  if (!parsed.ok) return undefined;
  const { message } = parsed;
  const expiresAtMs = isForThisService(message, publicUrl) ? getExpiryMs(message) : undefined;
  const grant = parseEthereumCredentialGrant(message.resources ?? [], publicUrl);
  if (expiresAtMs === undefined || !grant) return undefined;
  const issued = formatSignInMessage({ ...message, nonce: NONCE_PLACEHOLDER });
  const binding = { purpose: 'credential', clientId: grant.clientId, text: issued } as const;
  if (!isValidSignInNonce(binding, message.nonce, findNonceKey)) return undefined;
  return { text, signature, message, expiresAtMs, ...grant };
}

function isForThisService({ scheme, domain, uri }: SignInMessage, publicUrl: string): boolean {
  const { host, protocol } = new URL(publicUrl);
  if (scheme !== undefined && `${scheme}:` !== protocol) return false;
  return domain === host && (uri === publicUrl || uri.startsWith(`${publicUrl}/`));
}

/** Undefined for a message without expiry, an expired one, one that is not valid yet, or one with too long a lifetime. */
function getExpiryMs({ issuedAt, expirationTime, notBefore }: SignInMessage): number | undefined {
  if (expirationTime === undefined) return undefined;
  const issuedAtMs = Date.parse(issuedAt);
  const expiresAtMs = Date.parse(expirationTime);
  const now = Date.now();
  const hasBegun = [issuedAtMs, Date.parse(notBefore ?? issuedAt)].every(
    (time) => time <= now + MAX_CLOCK_SKEW_MS,
  );
  const isTooLong = expiresAtMs - issuedAtMs > ETHEREUM_CREDENTIAL_LIFETIME_MS;
  return hasBegun && expiresAtMs > now && !isTooLong ? expiresAtMs : undefined;
}

/** How long a contract wallet's confirmation of a signature is cached: the contract may revoke it at any time. */
const CONTRACT_SIGNATURE_TTL_MS = MINUTE_MS;

/** `Authorization: Ethereum`: a message that the wallet signed for this service (contract.md section 4). */
@Injectable()
export class EthereumStrategy extends PassportStrategy(HeaderStrategy, 'ethereum') {
  constructor(
    private readonly keys: TokenKeyCache,
    private readonly contractWallets: ContractWalletSignatureService,
    private readonly config: GatewayConfig,
  ) {
    super(createCredentialReader('ethereum'));
  }

  /** @returns false for an invalid credential, or a signature that does not belong to the address */
  async validate(text: string): Promise<VerifiedToken | false> {
    const credential = await this.keys.readWithKeys('nonce', (findKey) =>
      validateEthereumCredential(text, this.config.PUBLIC_URL, findKey),
    );
    const token = credential && (await this.verifySignature(credential));
    // Only the first use of a credential gets here: verified tokens are cached (docs/adr/0020).
    return token && (await parseSignInMessageWithSiwe(credential.text)).ok ? token : false;
  }

  private async verifySignature(credential: EthereumCredential): Promise<VerifiedToken | undefined> {
    const { address, chainId } = credential.message;
    const key = address.toLowerCase();
    if (recoverSigner(credential.text, credential.signature) === address)
      return toVerifiedToken(credential, deriveUserId('ethereum', key), credential.expiresAtMs);
    const checkedAtMs = Date.now();
    if (!(await this.contractWallets.isValid(credential.text, credential.signature))) return undefined;
    // A contract wallet's user id is specific to the chain of its contract (contract.md section 4).
    const userId = deriveUserId('ethereum', `eip155:${chainId}:${key}`);
    return toVerifiedToken(
      credential,
      userId,
      Math.min(credential.expiresAtMs, checkedAtMs + CONTRACT_SIGNATURE_TTL_MS),
    );
  }
}

function toVerifiedToken(
  { message, clientId, scopes, expiresAtMs: credentialExpiresAtMs }: EthereumCredential,
  userId: string,
  expiresAtMs: number,
): VerifiedToken {
  const account = `eip155:${message.chainId}:${message.address}`;
  const user = { id: userId, account };
  return { id: message.nonce, clientId, user, scopes, expiresAtMs, credentialExpiresAtMs };
}
