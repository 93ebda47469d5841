import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { type SecurityHeaderOptions, setSecurityHeaders } from './security-headers.js';

function policyFor(options: SecurityHeaderOptions): string[] {
  const headers = new Map<string, string>();
  const setHeader = (name: string, value: string) => headers.set(name, value);
  setSecurityHeaders({ setHeader } as unknown as Response, options);
  return headers.get('Content-Security-Policy')?.split('; ') ?? [];
}

describe('the content security policy', () => {
  it('content security policy: allows forms to this origin only', () => {
    expect(policyFor({})).toContain("form-action 'self'");
  });

  it('content security policy: allows external images only on pages with an application icon', () => {
    expect(policyFor({})).toContain("img-src 'self' data:");
    expect(policyFor({ showsIcon: true })).toContain("img-src 'self' data: https:");
  });

  it('content security policy: allows connections to the relay of wallets only where it is named', () => {
    expect(policyFor({})).toContain("connect-src 'self'");
    expect(policyFor({ relayOrigin: 'wss://relay.example' })).toContain(
      "connect-src 'self' wss://relay.example",
    );
  });
});
