import { Database } from '@app/database';
import type { RequestingClient } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SmartAccountsService } from '../accounts/smart-accounts.service.js';
import { checkFrozen } from '../freezes/freezes.queries.js';
import { SignerClient } from '../key-vault/signer-client.js';
import type { PlatformToken } from '../platforms/platform-token.js';
import { TokenAudienceService } from '../token-audience/token-audience.service.js';
import { ActionService } from './action.service.js';
import type { CustomActionRequest, CustomActionResponse } from './custom-action.dto.js';

/** Runs custom actions for the user of a platform token, with the user's action key. */
@Injectable()
export class UserActionsService {
  constructor(
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly signer: SignerClient,
    private readonly actions: ActionService,
    private readonly database: Database,
  ) {}

  /** @throws AppError as ActionService.execute; 401, 403, 429, 502 and 503 of the platform */
  async execute(
    token: PlatformToken,
    client: RequestingClient,
    request: CustomActionRequest,
  ): Promise<CustomActionResponse> {
    const user = await this.audience.loadForSigning({ ...token, clientId: client.id });
    const { id: accountId, actionAddress } = await this.accounts.load(user);
    const owner = { accountId, clientId: client.id };
    await checkFrozen(this.database, owner);
    const sign = (bytes: Uint8Array) => this.signer.signActionBytes(owner, bytes);
    return this.actions.execute({ client, actionAddress, sign }, request);
  }
}
