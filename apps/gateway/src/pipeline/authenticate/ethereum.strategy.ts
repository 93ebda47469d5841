import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { deriveUserId } from '@app/auth';
import { recoverSigner } from '@app/chain/sign-in';
import { ContractWalletSignatureService } from '../../credentials/contract-wallet-signature.service.js';
import { TokenKeyCache } from '../../credentials/token-key-cache.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { GatewayConfig } from '../../gateway.config.js';
import { createCredentialReader } from './credential-headers.js';
import { type EthereumCredential, validateEthereumCredential } from './ethereum-credential.js';
import { HeaderStrategy } from './header.strategy.js';

/** The nodes are asked again after this long whether a contract account still stands behind its signature. */
const CONTRACT_SIGNATURE_TTL_MS = 60_000;

/** `Authorization: Ethereum`: a message that the wallet signed for this service (contract.md section 4). */
@Injectable()
export class EthereumStrategy extends PassportStrategy(HeaderStrategy, 'ethereum') {
  constructor(
    private readonly keys: TokenKeyCache,
    private readonly contracts: ContractWalletSignatureService,
    private readonly config: GatewayConfig,
  ) {
    super(createCredentialReader('ethereum'));
  }

  /** @returns false for a credential that is not for us, or that nobody of that address signed */
  async validate(text: string): Promise<VerifiedToken | false> {
    const credential = await this.keys.readWithKeys('nonce', (keyOf) =>
      validateEthereumCredential(text, this.config.PUBLIC_URL, keyOf),
    );
    if (!credential) return false;
    const { address, chainId } = credential.message;
    const key = address.toLowerCase();
    if (recoverSigner(credential.text, credential.signature) === address)
      return toVerifiedToken(credential, deriveUserId('ethereum', key), credential.expiresAtMs);
    const askedAtMs = Date.now();
    if (!(await this.contracts.isValid(credential.text, credential.signature))) return false;
    // It counts on the chain that it was proven on, and no other (contract.md section 4).
    const userId = deriveUserId('ethereum', `eip155:${chainId}:${key}`);
    return toVerifiedToken(
      credential,
      userId,
      Math.min(credential.expiresAtMs, askedAtMs + CONTRACT_SIGNATURE_TTL_MS),
    );
  }
}

function toVerifiedToken(
  { message, clientId, scopes, expiresAtMs: credentialEndsAtMs }: EthereumCredential,
  userId: string,
  expiresAtMs: number,
): VerifiedToken {
  const account = `eip155:${message.chainId}:${message.address}`;
  const user = { id: userId, account };
  return { id: message.nonce, clientId, user, scopes, expiresAtMs, credentialEndsAtMs };
}
