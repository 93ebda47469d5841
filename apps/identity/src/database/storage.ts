import type { OutboxOptions } from '@app/outbox';
import { userEventsQueue, walletEventsQueue } from '@app/queues';
import { AuditRecord } from '../applications/audit/audit-record.entity.js';
import { ClientApplication } from '../applications/entities/client-application.entity.js';
import { Tenant } from '../applications/entities/tenant.entity.js';
import { ApiKey } from '../applications/entities/api-key.entity.js';
import { ClientSecret } from '../applications/entities/client-secret.entity.js';
import { CredentialChange } from '../tokens/change-feed/credential-change.entity.js';
import { migrations } from '../migrations/index.js';
import { BrowserSession } from '../browser-sessions/browser-session.entity.js';

/** Identity's schema, entities and migrations in PostgreSQL. */
export const storage = {
  schema: 'identity',
  entities: [Tenant, ClientApplication, ApiKey, ClientSecret, CredentialChange, AuditRecord, BrowserSession],
  migrations,
};

/** The outbox of the app, which sends its jobs, and of commands, which leave that to the app. */
export const outboxOptions: OutboxOptions = {
  schema: storage.schema,
  queues: [userEventsQueue, walletEventsQueue],
};
