import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, Upstream } from './openapi-document.js';
import type { SecurityScheme } from '@app/dto';
import { createSecuritySchemes } from './create-security-schemes.js';

/** A query parameter that lists its values. */
export interface QueryChoice {
  upstream: Upstream;
  name: string;
  values: readonly string[];
}

/** The values that a query parameter lists. None for identity's parameters: OAuth defines what they mean. */
function getListedValues(
  operation: OpenApiOperation,
  { in: place, schema }: OpenApiParameter,
): readonly string[] {
  return place === 'query' && operation['x-internal-upstream'] !== 'identity' ? (schema?.enum ?? []) : [];
}

export function findQueryChoices(document: OpenApiDocument): QueryChoice[] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return operations.flatMap((operation) =>
    (operation.parameters ?? [])
      .map((parameter) => ({
        upstream: operation['x-internal-upstream'],
        name: parameter.name,
        values: getListedValues(operation, parameter),
      }))
      .filter(({ values }) => values.length > 0),
  );
}

type Aliases = Readonly<Record<string, string>>;

/**
 * Spellings of what is in the document that clients may use instead of its own, each with the document's own
 * (contract.md section 11).
 */
export interface DocumentAliases {
  pathPrefixes: Aliases;
  headers: Aliases;
  /** Aliases of values, by query parameter. */
  queryValues: Readonly<Record<string, Aliases>>;
  securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** The names that clients may find in the document. Clients that know another path or header need no document. */
function addAliases(document: OpenApiDocument, aliases: DocumentAliases): OpenApiDocument {
  const { pathPrefixes, headers } = aliases;
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, addToOperation(operation, aliases)]),
    ),
  ]);
  return {
    ...document,
    'x-gatehouse-aliases': { pathPrefixes, headers },
    paths: Object.fromEntries(paths) as OpenApiDocument['paths'],
    components: { ...document.components, schemas: addToBodies(document, aliases.queryValues) },
  };
}

const REFERENCE = /"\$ref":"#\/components\/schemas\/([^"]+)"/g;

/** The schemas with the other spellings in fields of request bodies, which apps read as well. Answers have the own spelling. */
function addToBodies(
  { paths, components: { schemas } }: OpenApiDocument,
  queryValues: DocumentAliases['queryValues'],
): Record<string, unknown> {
  const inBodies = new Set<string>();
  const collect = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(REFERENCE)) {
      if (inBodies.has(name)) continue;
      inBodies.add(name);
      collect(schemas[name]);
    }
  };
  for (const methods of Object.values(paths))
    for (const { requestBody } of Object.values(methods)) collect(requestBody);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      inBodies.has(name) ? addToFields(schema, queryValues) : schema,
    ]),
  );
}

function addToFields(schema: unknown, queryValues: DocumentAliases['queryValues']): unknown {
  if (Array.isArray(schema)) return schema.map((item) => addToFields(item, queryValues));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, inner]: [string, unknown]) => {
      const values = (inner as { enum?: unknown } | null)?.enum;
      if (!Array.isArray(values) || queryValues[name] === undefined)
        return [name, addToFields(inner, queryValues)];
      const others = Object.entries(queryValues[name]).filter(([, real]) => values.includes(real));
      return [
        name,
        { ...(inner as object), enum: [...(values as unknown[]), ...others.map(([alias]) => alias)] },
      ];
    }),
  );
}

/** The schemes with a copy of each under its other names. */
const addSchemeAliases = (
  schemes: Record<SecurityScheme, object>,
  aliases: DocumentAliases['securitySchemes'],
): Record<string, object> => ({
  ...schemes,
  ...Object.fromEntries(Object.entries(aliases).map(([alias, scheme]) => [alias, schemes[scheme]])),
});

function addToOperation(operation: OpenApiOperation, aliases: DocumentAliases): OpenApiOperation {
  const { parameters, security } = operation;
  return {
    ...operation,
    ...(parameters && {
      parameters: parameters.map((parameter) => addToParameter(operation, parameter, aliases)),
    }),
    security: [...security, ...listRenamedAlternatives(security, aliases.securitySchemes)],
  };
}

/** Clients that check their arguments refuse a value that is not listed. */
function addToParameter(
  operation: OpenApiOperation,
  parameter: OpenApiParameter,
  { queryValues }: DocumentAliases,
): OpenApiParameter {
  const listed = getListedValues(operation, parameter);
  const values = Object.keys(queryValues[parameter.name] ?? {});
  if (listed.length === 0 || values.length === 0) return parameter;
  return { ...parameter, schema: { ...parameter.schema, enum: [...listed, ...values] } };
}

function listRenamedAlternatives(
  security: OpenApiOperation['security'],
  aliases: DocumentAliases['securitySchemes'],
): OpenApiOperation['security'] {
  return Object.entries(aliases).flatMap(([alias, scheme]) =>
    security
      .filter((alternative) => scheme in alternative)
      .map((alternative) =>
        Object.fromEntries(
          Object.entries(alternative).map(([name, scopes]) => [name === scheme ? alias : name, scopes]),
        ),
      ),
  );
}

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
