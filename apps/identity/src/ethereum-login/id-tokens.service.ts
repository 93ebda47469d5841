import { Injectable } from '@nestjs/common';
import { AeTokens } from './ae-tokens.js';
import type { IdTokenRequest, IdTokenResponse } from './ethereum-login.dto.js';
import { WalletLogins } from './wallet-logins.js';

/** The id token of the Ethereum login is the AE token. */
@Injectable()
export class IdTokensService {
  constructor(
    private readonly logins: WalletLogins,
    private readonly tokens: AeTokens,
  ) {}

  async create(clientId: string, request: IdTokenRequest): Promise<IdTokenResponse> {
    const login = await this.logins.finish({ clientId }, request);
    return { idToken: await this.tokens.issue(clientId, login) };
  }
}
