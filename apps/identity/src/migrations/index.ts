import { Baseline1795132801000 } from './1795132801000-baseline.js';
import { KeyNamesAndScopes1795132820000 } from './1795132820000-key-names-and-scopes.js';
import { MessagesAboutApprovals1795132820100 } from './1795132820100-messages-about-approvals.js';
import { AuditRecordsByActor1795132820200 } from './1795132820200-audit-records-by-actor.js';
import { PublishableIds1795132820500 } from './1795132820500-publishable-ids.js';
import { SessionNotices1795132820600 } from './1795132820600-session-notices.js';

/** Migrations in the order in which they are applied. A migration is never changed once it was released. */
export const migrations = [
  Baseline1795132801000,
  KeyNamesAndScopes1795132820000,
  MessagesAboutApprovals1795132820100,
  AuditRecordsByActor1795132820200,
  PublishableIds1795132820500,
  SessionNotices1795132820600,
];
