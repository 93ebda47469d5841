import { Injectable } from '@nestjs/common';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { AeTokenService } from './ae-token.service.js';
import { EthereumCredentialService } from '../credentials/ethereum-credential.service.js';

/** An AE token or Ethereum credential as presented in an `Authorization` header. */
export interface WalletToken {
  readonly scheme: 'AE' | 'Ethereum';
  /** `jti` or nonce. */
  readonly id: string;
  readonly clientId: string;
  /** The user of an Ethereum credential if the address's private key signed it. */
  readonly userId: string | undefined;
  /** The scopes; empty for an Ethereum credential. */
  readonly scope: string;
  /** Unix seconds; undefined for an Ethereum credential. */
  readonly issuedAt: number | undefined;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Parses and revokes AE tokens and Ethereum credentials. */
@Injectable()
export class WalletTokenService {
  constructor(
    private readonly aeTokens: AeTokenService,
    private readonly credentials: EthereumCredentialService,
    private readonly revocations: RevocationsService,
  ) {}

  /** Finds a token that is not revoked. Checks neither its expiry nor the signature of a credential. */
  async find(text: string): Promise<WalletToken | undefined> {
    const token = this.parseAeToken(text) ?? this.parseCredential(text);
    return token && !(await this.revocations.isRevoked(token.id)) ? token : undefined;
  }

  /** @returns false for a text that is neither kind of token */
  async revoke(text: string): Promise<boolean> {
    const claims = this.aeTokens.parse(text);
    if (claims) await this.aeTokens.revoke(claims);
    const credential = claims ? undefined : this.credentials.parse(text);
    if (credential) await this.credentials.revoke(credential);
    return claims !== undefined || credential !== undefined;
  }

  private parseAeToken(text: string): WalletToken | undefined {
    const claims = this.aeTokens.parse(text);
    if (!claims) return undefined;
    const { jti: id, client_id: clientId, sub: userId, scope, iat: issuedAt, exp: expiresAt } = claims;
    return { scheme: 'AE', id, clientId, userId, scope, issuedAt, expiresAt };
  }

  private parseCredential(text: string): WalletToken | undefined {
    const credential = this.credentials.parse(text);
    if (!credential) return undefined;
    const { message, clientId, expiresAt } = credential;
    const [userId] = this.credentials.listPossibleUserIds(credential);
    return {
      scheme: 'Ethereum',
      id: message.nonce,
      clientId,
      userId,
      scope: '',
      issuedAt: undefined,
      expiresAt: Math.floor(expiresAt.getTime() / 1_000),
    };
  }
}
