import { createHash } from 'node:crypto';

const MAX_AUDITED_LENGTH = 4_096;

/** What the audit log keeps of a policy: its JSON, or the hash of a long one. */
export const toPolicyDetails = (document: string): Record<string, unknown> =>
  document.length <= MAX_AUDITED_LENGTH
    ? { policy: JSON.parse(document) as unknown }
    : { sha256: createHash('sha256').update(document).digest('hex') };
