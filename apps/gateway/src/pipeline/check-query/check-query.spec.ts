import { parse, stringify } from 'node:querystring';
import { describe, expect, it } from '@jest/globals';
import { loadOpenApiDocument, parseOperations } from '@app/openapi';
import fc from 'fast-check';
import { checkQuery } from './check-query.js';

const NAMES = { known: new Set(['limit', 'assets']), repeatable: new Set(['assets']) };

const operations = parseOperations(loadOpenApiDocument());
const findQuery = (operationId: string) => operations.find(({ id }) => id === operationId)?.query;

describe('checkQuery', () => {
  it.each([
    ['limit=1', 'limit=1'],
    ['l%69mit=1&limit=2', 'l%69mit=1&limit=2'],
    ['', ''],
    ['&&limit&', '&&limit&'],
    ['_=1795160000', '_=1795160000'],
    ['assets[]=a&assets[]=b', 'assets=a&assets=b'],
    ['assets%5B0%5D=a%2Fb&assets%5b1%5d=+', 'assets=a%2Fb&assets=+'],
    ['assets[]', 'assets'],
  ])('checkQuery: reads %s as %s', (text, query) => {
    expect(checkQuery(text, NAMES)).toEqual({ unknown: [], query });
  });

  it.each([
    ['Limit=1', ['Limit']],
    ['limit[]=1', ['limit[]']],
    ['limit%5B0%5D=1', ['limit[0]']],
    ['assets[a]=1&assets[[]]=1&[]=1', ['assets[a]', 'assets[[]]', '[]']],
    ['=1', ['']],
    ['limit%zz=1', ['limit%zz']],
    ['__proto__=1&b+c=2&__proto__=3', ['__proto__', 'b c']],
  ])('checkQuery: finds what is unknown in %s', (text, unknown) => {
    expect(checkQuery(text, NAMES).unknown).toEqual(unknown);
  });

  it('checkQuery: agrees with the parser of the apps about the names of any query', () => {
    const name = fc.oneof(
      fc.constantFrom('limit', 'assets', '_', 'Limit', 'assets[]', 'assets[3]'),
      fc.string(),
    );
    const query = fc.array(fc.tuple(name, fc.string()), { maxLength: 20 });
    fc.assert(
      fc.property(query, (pairs) => {
        const text = pairs.map(([key, value]) => stringify({ [key]: value })).join('&');
        const { unknown, query: rewritten } = checkQuery(text, NAMES);
        const parsed = Object.keys(parse(rewritten));
        const isRead = (key: string) => NAMES.known.has(key) || key === '_';
        expect(new Set(unknown)).toEqual(new Set(parsed.filter((key) => !isRead(key))));
      }),
    );
  });
});

describe('query parameters of operations', () => {
  it('query parameters of operations: are checked where a caller is required, but not of OAuth', () => {
    const unchecked = operations.filter(({ query }) => query === undefined);
    expect(unchecked.map(({ id }) => id).sort()).toEqual(
      operations
        .filter(({ callerRequirement, path }) => callerRequirement === 'none' || path.startsWith('/oauth2/'))
        .map(({ id }) => id)
        .sort(),
    );
    expect(unchecked.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'AssetOwnershipController.verifyOwnership',
        'CommunityInvitationController.getInvitation',
        'OAuth2Controller.userinfo',
      ]),
    );
  });

  it.each([
    ['AnalyticsController.getRolesPie', ['range', 'interval', 'timeZone']],
    ['AnalyticsController.getRolesAdded', ['range', 'interval', 'timeZone']],
    ['AnalyticsController.getLetsGo', ['range', 'interval', 'timeZone']],
    ['AnalyticsController.getWalletConnections', ['range', 'interval', 'timeZone']],
    ['AccountController.getAuthChallenge', ['address', 'unlinkOthers']],
    ['AccountController.getUserCommunities', ['limit', 'paginationToken']],
    ['AccountController.getAdministratedCommunities', ['reload', 'limit', 'paginationToken']],
    ['AccountKitController.getUserOperationReceipt', ['chainId', 'userOperationHash', 'platform']],
    ['AccountKitController.getSolanaTransaction', ['network', 'txSignatureBase64', 'platform']],
    ['AccountController.getUserProfile', []],
  ])('are for %s: %j', (operationId, names) => {
    expect([...(findQuery(operationId)?.known ?? [])]).toEqual(names);
  });
});
