import type { IncomingHttpHeaders } from 'node:http';

export interface PrincipalTokenClaims {
  iss: string;
  aud: string;
  operation?: string;
  principal: Record<string, unknown>;
}

/** What a forwarded request says for whom it is; its signature is not looked at. */
export function principalTokenIn(headers: IncomingHttpHeaders | undefined): PrincipalTokenClaims {
  const [, payload = ''] = String(headers?.['x-gatehouse-principal']).split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as PrincipalTokenClaims;
}
