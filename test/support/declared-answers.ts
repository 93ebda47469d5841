import { loadOpenApiDocument, type OpenApiResponse } from '@app/openapi';
import { z } from 'zod';
import { operationOf } from './operation-of.js';

const document = loadOpenApiDocument();
const operations = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

/**
 * Answers that only requests which bypass the gateway get: those of the guard of principal tokens, and 404 where `fetch`
 * resolves a path segment `..`.
 */
const INTERNAL_CODES = ['operation_mismatch', 'path_not_found', 'principal_required'];

const envelope = z.object({ error: z.object({ details: z.object({ code: z.string() }) }) });

function findResponse(operationId: string, status: number): OpenApiResponse {
  const response = operations.get(operationId)?.responses[status];
  if (!response) throw new Error(`${operationId} does not say that it answers ${status}`);
  if (!('$ref' in response)) return response;
  const shared = document.components.responses[response.$ref.split('/').at(-1) ?? ''];
  if (!shared) throw new Error(`${operationId} refers to ${response.$ref}, which does not exist`);
  return shared;
}

/**
 * An operation answers what its document says: status, a body only where it has a schema, and errors by their code.
 * @throws Error for an answer that the document does not list
 */
export function checkDeclared(method: string, path: string, status: number, text: string): void {
  const operationId = operationOf(method, path);
  if (operationId === undefined) return;
  const response = findResponse(operationId, status);
  if (status < 300 && text !== '' && !response.content)
    throw new Error(`${operationId} does not say that ${status} has a body`);
  const { 'x-error-codes': codes } = response;
  if (!codes) return;
  const { code } = envelope.parse(JSON.parse(text)).error.details;
  if (!codes.includes(code) && !INTERNAL_CODES.includes(code))
    throw new Error(`${operationId} does not say that it answers ${status} ${code}`);
}
