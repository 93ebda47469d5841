import type { OpenApiDocument } from './openapi-document.js';
import { addAliases, addSchemeAliases, type DocumentAliases } from './add-aliases.js';
import { createSecuritySchemes } from './create-security-schemes.js';

const isInternal = (key: string): boolean => key.startsWith('x-internal-');

/** Values of examples that exist only at run time, by the name that stands in braces in the document. */
export type ExampleValues = Readonly<Record<string, string>>;

const PLACEHOLDER = /^\{(\w+)\}$/;

const fillPlaceholder = (text: string, values: ExampleValues): string =>
  text.startsWith('{') ? (values[PLACEHOLDER.exec(text)?.[1] ?? ''] ?? text) : text;

function convert(value: unknown, examples: ExampleValues): unknown {
  if (typeof value === 'string') return fillPlaceholder(value, examples);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => convert(item, examples));
  // A loop: the document has tens of thousands of values, and `Object.fromEntries` takes twice the time.
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value))
    if (!isInternal(key)) copy[key] = convert(inner, examples);
  return copy;
}

export interface Deployment {
  publicUrl: string;
  authUrl: string;
  examples?: ExampleValues;
  aliases?: DocumentAliases;
}

/** The document for clients: with URLs and aliases of the deployment, without `x-internal-` extensions. */
export function toPublicDocument(
  document: OpenApiDocument,
  { publicUrl, authUrl, examples = {}, aliases }: Deployment,
): OpenApiDocument {
  const copy = convert(aliases ? addAliases(document, aliases) : document, examples) as OpenApiDocument;
  const schemes = createSecuritySchemes(authUrl);
  return {
    ...copy,
    servers: [{ url: publicUrl }],
    components: {
      ...copy.components,
      securitySchemes: aliases ? addSchemeAliases(schemes, aliases.securitySchemes) : { ...schemes },
    },
  };
}
