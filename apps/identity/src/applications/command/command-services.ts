import type { Database } from '@app/database';
import type { OutboxService } from '@app/outbox';
import { ApprovalsService } from '../approvals.service.js';
import { ClientApplicationsAdminService, ApiKeysAdminService } from './client-applications-admin.service.js';
import { PlansService } from '../plans/plans.service.js';
import { CredentialHasher, CredentialIssuer } from '../credentials/credential-issuer.js';
import {
  type ChangePublisher,
  CredentialTransactionService,
} from '../../tokens/change-feed/credential-transaction.service.js';
import { UserEventsService } from '../../users/user-events.service.js';
import type { IdentityConfig } from '../../common/identity.config.js';

export interface CommandServices {
  database: Database;
  clientApplications: ClientApplicationsAdminService;
  approvals: ApprovalsService;
  plans: PlansService;
  apiKeys: ApiKeysAdminService;
}

/**
 * @param outbox of identity, which publishes decisions
 * @param publishChange notifies gateways of changed credentials
 */
export function createCommandServices(
  config: IdentityConfig,
  database: Database,
  outbox: OutboxService,
  publishChange?: ChangePublisher,
): CommandServices {
  const transactions = new CredentialTransactionService(database, publishChange);
  const issuer = new CredentialIssuer(
    new CredentialHasher(config.CREDENTIAL_PEPPER),
    config.CREDENTIAL_ENVIRONMENT,
  );
  return {
    database,
    clientApplications: new ClientApplicationsAdminService(transactions, issuer),
    approvals: new ApprovalsService(transactions, new UserEventsService(outbox)),
    plans: new PlansService(transactions),
    apiKeys: new ApiKeysAdminService(transactions, issuer),
  };
}
