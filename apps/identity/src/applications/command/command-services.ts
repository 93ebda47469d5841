import type { Database } from '@app/database';
import { ApprovalsService } from '../operators/approvals.service.js';
import { ClientApplicationsAdminService } from './client-applications-admin.service.js';
import { PlansService } from '../plans/plans.service.js';
import { ApiKeysAdminService } from './api-keys-admin.service.js';
import { CredentialHasher } from '../credentials/credential-hasher.js';
import {
  type ChangePublisher,
  CredentialTransactionService,
} from '../../tokens/change-feed/credential-transaction.service.js';
import { CredentialIssuer } from '../credentials/credential-issuer.js';
import type { IdentityConfig } from '../../common/identity.config.js';

/** What the commands work with. */
export interface CommandServices {
  database: Database;
  clientApplications: ClientApplicationsAdminService;
  approvals: ApprovalsService;
  plans: PlansService;
  apiKeys: ApiKeysAdminService;
}

/** @param announce tells gateways of what was changed */
export function createCommandServices(
  config: IdentityConfig,
  database: Database,
  announce?: ChangePublisher,
): CommandServices {
  const writes = new CredentialTransactionService(database, announce);
  const issuer = new CredentialIssuer(
    new CredentialHasher(config.CREDENTIAL_PEPPER),
    config.CREDENTIAL_ENVIRONMENT,
  );
  return {
    database,
    clientApplications: new ClientApplicationsAdminService(writes, issuer),
    approvals: new ApprovalsService(writes),
    plans: new PlansService(writes),
    apiKeys: new ApiKeysAdminService(writes, issuer),
  };
}
