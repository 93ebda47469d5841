import type { Database } from '@app/database';
import { ClientApplications } from '../clients/client-applications.js';
import { PlanHolders } from '../clients/plan-holders.js';
import { ApiKeys } from '../credentials/api-keys.js';
import { CredentialHasher } from '../credentials/credential-hasher.js';
import { CredentialIssuer } from '../credentials/credential-issuer.js';
import type { IdentityConfig } from '../identity-config.js';

/** What the commands work with. */
export interface ClientServices {
  database: Database;
  clients: ClientApplications;
  planHolders: PlanHolders;
  apiKeys: ApiKeys;
}

export function createClientServices(config: IdentityConfig, database: Database): ClientServices {
  const issuer = new CredentialIssuer(
    new CredentialHasher(config.CREDENTIAL_PEPPER),
    config.CREDENTIAL_ENVIRONMENT,
  );
  return {
    database,
    clients: new ClientApplications(database, issuer),
    planHolders: new PlanHolders(database),
    apiKeys: new ApiKeys(database, issuer),
  };
}
