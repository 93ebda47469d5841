import { Injectable } from '@nestjs/common';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { AeTokenService } from './ae-token.service.js';
import { EthereumCredentialService } from '../credentials/ethereum-credential.service.js';

/** What came of a wallet's signature and stands in `Authorization`, as somebody shows it to us. */
export interface WalletToken {
  readonly scheme: 'AE' | 'Ethereum';
  /** `jti` or nonce. */
  readonly id: string;
  readonly clientId: string;
  /** Of an Ethereum credential: whose it is if a plain key signed it. */
  readonly userId: string | undefined;
  /** Empty for an Ethereum credential. */
  readonly scope: string;
  /** Unix seconds; undefined for an Ethereum credential. */
  readonly issuedAt: number | undefined;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** AE tokens and Ethereum credentials, told apart by their text. */
@Injectable()
export class WalletTokenService {
  constructor(
    private readonly aeTokens: AeTokenService,
    private readonly credentials: EthereumCredentialService,
    private readonly revocations: RevocationsService,
  ) {}

  /** One of ours that was not revoked. Whether it has expired, and who signed a credential, is not asked here. */
  async find(text: string): Promise<WalletToken | undefined> {
    const token = this.aeToken(text) ?? this.credential(text);
    return token && !(await this.revocations.isRevoked(token.id)) ? token : undefined;
  }

  /** Ends one before its time. @returns false for a text that is none of ours */
  async revoke(text: string): Promise<boolean> {
    const claims = this.aeTokens.parse(text);
    if (claims) await this.aeTokens.revoke(claims);
    const credential = claims ? undefined : this.credentials.parse(text);
    if (credential) await this.credentials.revoke(credential);
    return claims !== undefined || credential !== undefined;
  }

  private aeToken(text: string): WalletToken | undefined {
    const claims = this.aeTokens.parse(text);
    if (!claims) return undefined;
    const { jti: id, client_id: clientId, sub: userId, scope, iat: issuedAt, exp: expiresAt } = claims;
    return { scheme: 'AE', id, clientId, userId, scope, issuedAt, expiresAt };
  }

  private credential(text: string): WalletToken | undefined {
    const found = this.credentials.parse(text);
    if (!found) return undefined;
    const { message, clientId, expiresAt } = found;
    const [userId] = this.credentials.listPossibleUserIds(found);
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
