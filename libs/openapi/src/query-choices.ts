import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, Upstream } from './openapi-document.js';

/** A query parameter that lists its values. */
export interface QueryChoice {
  upstream: Upstream;
  name: string;
  values: readonly string[];
}

/** The values that a query parameter lists. None for identity's parameters: OAuth defines what they mean. */
export function getListedValues(
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
