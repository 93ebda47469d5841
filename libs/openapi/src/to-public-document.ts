import type { OpenApiDocument } from './openapi-document.js';
import { createSecuritySchemes } from './create-security-schemes.js';

const isInternal = (key: string): boolean => key.startsWith('x-internal-');

function removeInternals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeInternals);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !isInternal(key));
  return Object.fromEntries(entries.map(([key, inner]) => [key, removeInternals(inner)]));
}

/** The document for clients: with the URLs of the deployment, without `x-internal-` extensions. */
export function toPublicDocument(
  document: OpenApiDocument,
  publicUrl: string,
  authUrl: string,
): OpenApiDocument {
  const copy = removeInternals(document) as OpenApiDocument;
  return {
    ...copy,
    servers: [{ url: publicUrl }],
    components: { ...copy.components, securitySchemes: { ...createSecuritySchemes(authUrl) } },
  };
}
