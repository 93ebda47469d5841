import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { type SecurityHeaderOptions, setSecurityHeaders } from './security-headers.js';

function policyFor(needs: SecurityHeaderOptions): string[] {
  const headers = new Map<string, string>();
  const setHeader = (name: string, value: string) => headers.set(name, value);
  setSecurityHeaders({ setHeader } as unknown as Response, needs);
  return headers.get('Content-Security-Policy')?.split('; ') ?? [];
}

describe('the content security policy', () => {
  it('lets forms lead to us alone', () => {
    expect(policyFor({})).toContain("form-action 'self'");
  });

  it('lets images of others in only where an icon is shown', () => {
    expect(policyFor({})).toContain("img-src 'self' data:");
    expect(policyFor({ showsIcon: true })).toContain("img-src 'self' data: https:");
  });
});
