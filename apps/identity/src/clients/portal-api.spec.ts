import { describe, expect, it } from '@jest/globals';
import { loadOpenApiDocument } from '@app/openapi';
import { PORTAL_OPERATIONS } from './portal-api.js';

describe('operations of the portal', () => {
  it('operations of the portal: have the method and path of the OpenAPI document, and belong to token-gating', () => {
    const documented = Object.entries(loadOpenApiDocument().paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId, 'x-internal-upstream': upstream }]) =>
          [operationId, { method: method.toUpperCase(), path, upstream }] as const,
      ),
    );
    const operations = new Map(documented);
    for (const [id, operation] of Object.entries(PORTAL_OPERATIONS))
      expect([id, operations.get(id)]).toEqual([id, { ...operation, upstream: 'token-gating' }]);
  });
});
