import { loadOpenApiDocument } from '@app/openapi';
import { z } from 'zod';
import { operationOf } from './operation-of.js';

const operations = new Map(
  Object.values(loadOpenApiDocument().paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

const conflict = z.object({ error: z.object({ details: z.object({ code: z.string() }) }) });

/**
 * An operation answers what its document says, conflicts by their code. Faults of ours (500) are in no document.
 * @throws Error for an answer that the document does not list
 */
export function checkDeclared(method: string, path: string, status: number, text: string): void {
  const operation = operations.get(operationOf(method, path) ?? '');
  if (!operation || status === 500) return;
  const { operationId, responses, 'x-internal-conflicts': conflicts = {} } = operation;
  if (!(String(status) in responses))
    throw new Error(`${operationId} does not say that it answers ${status}`);
  if (status !== 409) return;
  const { code } = conflict.parse(JSON.parse(text)).error.details;
  if (!(code in conflicts)) throw new Error(`${operationId} does not say that it answers 409 ${code}`);
}
