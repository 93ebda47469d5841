import { Database } from '@app/database';
import type { RequestingClient } from '@app/service';
import { Injectable } from '@nestjs/common';
import { SmartAccountsService } from '../custody/accounts/smart-accounts.service.js';
import { EvmClientService } from '../evm/nodes/evm-client.service.js';
import { checkFrozen } from '../limits/freezes.queries.js';
import { ActionAddressesService } from '../custody/action-addresses.service.js';
import { SignerClient } from '../custody/signer-client.js';
import type { PlatformToken } from '../owners/platform-user.js';
import { TokenAudienceService } from '../custody/token-audience/token-audience.service.js';
import { type ActionSigner, ActionService } from './action.service.js';
import type { CustomAction } from './custom-actions.queries.js';
import type { CustomActionRequest, CustomActionResponse } from './custom-action.dto.js';

/** Runs custom actions for the user of a platform token, with a key of the user's account for actions. */
@Injectable()
export class UserActionsService {
  constructor(
    private readonly audience: TokenAudienceService,
    private readonly accounts: SmartAccountsService,
    private readonly addresses: ActionAddressesService,
    private readonly signer: SignerClient,
    private readonly actions: ActionService,
    private readonly database: Database,
    private readonly chains: EvmClientService,
  ) {}

  /** @throws AppError as ActionService.execute; 400 `chain_not_supported`; 401, 403, 429, 502 and 503 of the platform */
  async execute(
    token: PlatformToken,
    { client, chainId }: { readonly client: RequestingClient; readonly chainId: number },
    request: CustomActionRequest,
  ): Promise<CustomActionResponse> {
    this.chains.checkSupported(chainId);
    const user = await this.audience.loadForSigning({ ...token, clientId: client.id });
    const account = await this.accounts.load(user);
    const owner = { accountId: account.id, clientId: client.id };
    await checkFrozen(this.database, owner);
    const loadSigner = async ({ cid, keyScope }: CustomAction): Promise<ActionSigner> => ({
      address: keyScope === 'account' ? account.actionAddress : await this.addresses.load(owner),
      sign: (bytes) => this.signer.signActionBytes({ ...owner, cid }, bytes),
    });
    return this.actions.execute({ client, loadSigner }, request);
  }
}
