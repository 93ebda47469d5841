import { describe, expect, it } from '@jest/globals';
import { findQueryChoices, loadOpenApiDocument, parseOperations } from '@app/openapi';
import type { Request } from 'express';
import { OperationRouter } from '../pipeline/match/operation-router.js';
import { aliasesSchema } from './aliases.schema.js';
import { RequestAliases } from './request-aliases.js';

const document = loadOpenApiDocument();
const aliases = new RequestAliases(
  aliasesSchema.parse({
    pathPrefixes: {
      '/api': '/',
      '/api/kit': '/accountkit/v1/chatbot',
      '/api/kit/v2': '/accountkit/v2/platform',
      '/whoami': '/account/me',
      '/docs.json': '/openapi.json',
    },
    headers: { 'X-Chat-Token': 'X-BOT-TOKEN', 'X-Messenger-Token': 'X-BOT-TOKEN' },
    queryValues: { platform: { messenger: 'chat', 'a b': 'microblog' } },
  }),
  findQueryChoices(document),
  new OperationRouter(parseOperations(document)),
);

function apply(url: string, headers: Record<string, string> = {}): Request {
  const request = { method: 'GET', url, headers: { ...headers } } as unknown as Request;
  aliases.apply(request);
  return request;
}

describe('RequestAliases', () => {
  it.each([
    ['/api/account/me', '/account/me'],
    ['/api/account/me?a=%2F&b', '/account/me?a=%2F&b'],
    ['/whoami', '/account/me'],
    ['/docs.json', '/openapi.json'],
    ['/api/openapi.json', '/openapi.json'],
    // The longest alias wins.
    ['/api/kit/accounts', '/accountkit/v1/chatbot/accounts'],
    ['/api/kit/v2/accounts', '/accountkit/v2/platform/accounts'],
    ['/api/account/wallets/0xab', '/account/wallets/0xab'],
  ])('RequestAliases: rewrites %s to %s', (url, real) => {
    expect(apply(url).url).toBe(real);
  });

  it.each([
    '/account/me',
    '/apiaccount/me',
    '/API/account/me',
    '/whoamI',
    '/api',
    '/api/',
    '/api/login',
    '/api/portal/keys',
    '/api/explorer',
    '/api/internal/credentials',
    '/api/nothing',
    '/api/api/account/me',
    '/api//account/me',
    '/api/./account/me',
    '/api/../account/me',
    '/api/%2e%2e/account/me',
    '/api%2Faccount/me',
    '/%61pi/account/me',
    'http://host/api/account/me',
  ])('RequestAliases: leaves %s as it is', (url) => {
    expect(apply(url).url).toBe(url);
  });

  it.each([
    ['platform=messenger', 'platform=chat'],
    ['x=%20&platform=messenger&y', 'x=%20&platform=chat&y'],
    ['platform=a+b', 'platform=microblog'],
    ['pl%61tform=%6Dessenger', 'pl%61tform=chat'],
    ['platform=messenger&platform=chat', 'platform=chat&platform=chat'],
    ['platform=Messenger', 'platform=Messenger'],
    ['platform=%zz', 'platform=%zz'],
    ['other=messenger', 'other=messenger'],
    ['platform', 'platform'],
  ])('RequestAliases: rewrites the query %s to %s', (query, real) => {
    expect(apply(`/api/kit/v2/accounts?${query}`).url).toBe(`/accountkit/v2/platform/accounts?${real}`);
    expect(apply(`/account/me?${query}`).url).toBe(`/account/me?${query}`);
  });

  it('RequestAliases: gives headers their own name, and reports two different values', () => {
    expect(apply('/account/me', { 'x-chat-token': 'a' }).headers).toEqual({ 'x-bot-token': 'a' });
    const same = apply('/account/me', { 'x-chat-token': 'a', 'x-bot-token': 'a' });
    expect(same.headers).toEqual({ 'x-bot-token': 'a' });
    expect(same.requestContext?.aliasConflict).toBeUndefined();
    const own = apply('/account/me', { 'x-chat-token': 'a', 'x-bot-token': 'b' });
    const two = apply('/account/me', { 'x-chat-token': 'a', 'x-messenger-token': '' });
    for (const { requestContext } of [own, two]) {
      expect(requestContext?.aliasConflict).toMatchObject({ statusCode: 400 });
      expect(requestContext?.aliasConflict?.message).toMatch(/^X-\w+-Token and X-BOT-TOKEN /);
    }
  });
});
