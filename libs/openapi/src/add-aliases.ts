import type { SecurityScheme } from '@app/dto';
import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from './openapi-document.js';
import { getListedValues } from './query-choices.js';

type Aliases = Readonly<Record<string, string>>;

/** Other spellings of what is in the document, each with the document's own (contract.md section 11). */
export interface DocumentAliases {
  pathPrefixes: Aliases;
  headers: Aliases;
  /** By parameter. */
  queryValues: Readonly<Record<string, Aliases>>;
  securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** The names that clients may find in the document. Clients that know another path or header need no document. */
export function addAliases(document: OpenApiDocument, aliases: DocumentAliases): OpenApiDocument {
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
  };
}

/** The schemes with a copy of each under its other names. */
export const addSchemeAliases = (
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
