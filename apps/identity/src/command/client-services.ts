import type { Database } from '@app/database';
import { Approvals } from '../clients/approvals.js';
import { ClientApplications } from '../clients/client-applications.js';
import { PlanHolders } from '../clients/plan-holders.js';
import { ApiKeys } from '../credentials/api-keys.js';
import { CredentialHasher } from '../credentials/credential-hasher.js';
import { type Announce, CredentialWrites } from '../credentials/credential-writes.js';
import { CredentialIssuer } from '../credentials/credential-issuer.js';
import type { IdentityConfig } from '../identity-config.js';

/** What the commands work with. */
export interface ClientServices {
  database: Database;
  clients: ClientApplications;
  approvals: Approvals;
  planHolders: PlanHolders;
  apiKeys: ApiKeys;
}

/** @param announce tells gateways of what was changed */
export function createClientServices(
  config: IdentityConfig,
  database: Database,
  announce?: Announce,
): ClientServices {
  const writes = new CredentialWrites(database, announce);
  const issuer = new CredentialIssuer(
    new CredentialHasher(config.CREDENTIAL_PEPPER),
    config.CREDENTIAL_ENVIRONMENT,
  );
  return {
    database,
    clients: new ClientApplications(writes, issuer),
    approvals: new Approvals(writes),
    planHolders: new PlanHolders(writes),
    apiKeys: new ApiKeys(writes, issuer),
  };
}
