import { Injectable } from '@nestjs/common';
import { AeTokenService } from './ae-token.service.js';
import type { IdTokenRequest, IdTokenResponse } from '../ethereum-login.dto.js';
import { WalletLoginService } from '../challenges/wallet-login.service.js';

/** The id token of a wallet login is an AE token. */
@Injectable()
export class IdTokensService {
  constructor(
    private readonly logins: WalletLoginService,
    private readonly tokens: AeTokenService,
  ) {}

  async create(clientId: string, request: IdTokenRequest): Promise<IdTokenResponse> {
    const login = await this.logins.completeLogin({ clientId }, request);
    return { idToken: await this.tokens.issue(clientId, login) };
  }
}
