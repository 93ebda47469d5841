import { describe, expect, it } from '@jest/globals';
import { aliasesSchema } from './aliases.schema.js';

const findProblems = (aliases: object): string[] =>
  (aliasesSchema.safeParse(aliases).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

describe('aliasesSchema', () => {
  it('aliasesSchema: accepts other spellings of what the OpenAPI document has', () => {
    const aliases = {
      pathPrefixes: {
        '/api/v1': '/',
        '/api/v1/wallets': '/account/wallets',
        '/kit': '/accountkit/v1',
        '/docs.json': '/openapi.json',
      },
      headers: { 'X-Chat-Token': 'X-BOT-TOKEN', 'client-key': 'x-api-key' },
      queryValues: { platform: { messenger: 'chat' } },
      securitySchemes: { oauth2: 'serviceOAuth2' },
    };
    expect(aliasesSchema.parse(aliases)).toEqual(aliases);
    expect(aliasesSchema.parse({})).toEqual({
      pathPrefixes: {},
      headers: {},
      queryValues: {},
      securitySchemes: {},
    });
  });

  it.each([
    ['/account', 'hides /account/'],
    ['/account/me', 'hides /account/me'],
    ['/asset-verification/first', 'hides /asset-verification/{token}'],
    ['/login', 'hides a path of the gateway'],
    ['/Portal/keys', 'hides a path of the gateway'],
    ['/explorer', 'hides a path of the gateway'],
    ['/openapi.json', 'hides a path of the gateway'],
    ['/internal/credentials', 'hides a path of the gateway'],
    ['/INTERNAL', 'hides a path of the gateway'],
    ['/', 'must be a normalized path'],
    ['/api/', 'must be a normalized path'],
    ['/a/../b', 'must be a normalized path'],
    ['/a%2fb', 'must be a normalized path'],
    ['/a?b', 'must be a normalized path'],
    ['api', 'must be a normalized path'],
  ])('aliasesSchema: refuses the path alias %s', (alias, message) => {
    expect(findProblems({ pathPrefixes: { [alias]: '/' } })).toEqual([
      expect.stringContaining(`pathPrefixes.${alias}: ${message}`),
    ]);
  });

  it.each([
    '/internal',
    '/internal/credentials',
    '/login',
    '/portal/keys',
    '/explorer',
    '/nowhere',
    '/account/',
  ])('aliasesSchema: refuses %s as the path behind an alias', (real) => {
    expect(findProblems({ pathPrefixes: { '/api': real } })).toEqual([
      'pathPrefixes./api: must stand for a path of the OpenAPI document, or the beginning of one',
    ]);
  });

  it.each([
    'Authorization',
    'Host',
    'Cookie',
    'Set-Cookie',
    'X-API-Key',
    'X-Forwarded-For',
    'X-Gatehouse-Principal',
    'Transfer-Encoding',
    'X-Request-Id',
    'X-Nonce-Key',
    'If-None-Match',
    'baggage',
    'User-Agent',
    'not a name',
  ])('aliasesSchema: refuses %s as the name of another header', (alias) => {
    expect(findProblems({ headers: { [alias]: 'X-BOT-TOKEN' } })).toEqual([
      expect.stringContaining(`headers.${alias}: `),
    ]);
  });

  it.each(['Authorization', 'X-Gatehouse-Principal', 'X-Forwarded-For', 'Cookie', 'X-Other'])(
    'aliasesSchema: refuses another name for %s',
    (real) => {
      expect(findProblems({ headers: { 'X-Mine': real } })).toEqual([
        expect.stringContaining('headers.X-Mine: must stand for one of x-api-key, x-bot-token'),
      ]);
    },
  );

  it('aliasesSchema: refuses what is not in the document, or is there already, and names where', () => {
    expect(
      findProblems({
        headers: { 'X-Mine': 'X-BOT-TOKEN', 'x-mine': 'X-BOT-TOKEN' },
        queryValues: { platform: { chat: 'microblog', other: 'nothing' }, response_type: { any: 'code' } },
        securitySchemes: { apiKey: 'ethereum', '9': 'apiKey' },
      }),
    ).toEqual([
      'headers.X-Mine: is there twice: case does not matter in names of headers',
      'headers.x-mine: is there twice: case does not matter in names of headers',
      'queryValues.platform.chat: is a value of this parameter already',
      'queryValues.platform.other: must stand for one of chat, microblog, codehost',
      'queryValues.response_type: is not a query parameter that lists its values',
      'securitySchemes.9: must be a letter, then letters, digits, dots, hyphens or underscores, at most 64',
      'securitySchemes.apiKey: is the name of a security scheme already',
    ]);
    expect(findProblems({ paths: {} })).toEqual([expect.stringContaining('paths')]);
    expect(findProblems({ securitySchemes: { oauth2: 'none' } })).toEqual([
      expect.stringMatching(/^securitySchemes\.oauth2: /),
    ]);
  });
});
