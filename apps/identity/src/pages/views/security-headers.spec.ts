import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { type PageNeeds, setSecurityHeaders } from './security-headers.js';

function policyFor(needs: PageNeeds): string[] {
  const headers = new Map<string, string>();
  const setHeader = (name: string, value: string) => headers.set(name, value);
  setSecurityHeaders({ setHeader } as unknown as Response, needs);
  return headers.get('Content-Security-Policy')?.split('; ') ?? [];
}

describe('the content security policy', () => {
  it.each([
    ['https://shop.example/cb?x=1', 'https://shop.example'],
    ['https://shop.example:8443/cb', 'https://shop.example:8443'],
    ['http://127.0.0.1:5000/cb', 'http://127.0.0.1:5000'],
    // It has no way to write this host.
    ['http://[::1]:5000/cb', 'http:'],
  ])('lets a form lead to %s', (formTarget, source) => {
    expect(policyFor({ formTarget })).toContain(`form-action 'self' ${source}`);
  });

  it('lets images of others in only where an icon is shown', () => {
    expect(policyFor({})).toContain("img-src 'self' data:");
    expect(policyFor({ showsIcon: true })).toContain("img-src 'self' data: https:");
  });
});
