import { AuditRecord } from '../audit/audit-record.entity.js';
import { ClientApplication } from '../clients/client-application.entity.js';
import { PlanHolder } from '../clients/plan-holder.entity.js';
import { ApiKey } from '../credentials/api-key.entity.js';
import { ClientSecret } from '../credentials/client-secret.entity.js';
import { CredentialChange } from '../credentials/credential-change.entity.js';
import { migrations } from '../migrations/index.js';
import { BrowserSession } from '../browser-sessions/browser-session.entity.js';

/** What identity owns in PostgreSQL. */
export const storage = {
  schema: 'identity',
  entities: [
    PlanHolder,
    ClientApplication,
    ApiKey,
    ClientSecret,
    CredentialChange,
    AuditRecord,
    BrowserSession,
  ],
  migrations,
};
