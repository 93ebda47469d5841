import { MINUTE_MS } from '@app/common';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { deriveUserId } from '@app/auth';
import { parseSignInMessageWithSiwe, recoverSigner } from '@app/chain/sign-in';
import { ContractWalletSignatureService } from '../../credentials/contract-wallet-signature.service.js';
import { TokenKeyCache } from '../../credentials/token-key-cache.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { GatewayConfig } from '../../gateway.config.js';
import { createCredentialReader } from './credential-headers.js';
import { type EthereumCredential, validateEthereumCredential } from './ethereum-credential.js';
import { HeaderStrategy } from './header.strategy.js';

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
