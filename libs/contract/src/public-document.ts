import type { ContractDocument } from './document.js';
import { securitySchemes } from './security-schemes.js';

const isInternal = (key: string): boolean => key.startsWith('x-internal-');

function withoutInternals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInternals);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !isInternal(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutInternals(inner)]));
}

/** The copy that clients read: our own addresses in, our own remarks out. */
export function publicDocument(
  document: ContractDocument,
  publicUrl: string,
  authUrl: string,
): ContractDocument {
  const copy = withoutInternals(document) as ContractDocument;
  return {
    ...copy,
    servers: [{ url: publicUrl }],
    components: { ...copy.components, securitySchemes: { ...securitySchemes(authUrl) } },
  };
}
