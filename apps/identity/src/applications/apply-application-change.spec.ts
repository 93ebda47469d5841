import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ClientApplication } from './entities/client-application.entity.js';
import { applyApplicationChange } from './apply-application-change.js';
import { getSignInOrigins } from './get-sign-in-origins.js';
import { isReviewed, selectReviewedValues, toWanted } from './reviewed-values.js';

const uris = fc.uniqueArray(fc.integer({ min: 1, max: 9 }).map((n) => `https://shop.example/${String(n)}`));

const approvedWith = (lists: Partial<ClientApplication>): ClientApplication =>
  ({
    name: 'Shop',
    iconUrl: null,
    redirectUris: ['https://shop.example/a', 'https://shop.example/b'],
    origins: ['https://shop.example', 'https://www.shop.example'],
    implicit: false,
    idTokenAlg: 'RS256',
    requestedScopes: ['user:read', 'token-gating'],
    approvedScopes: ['user:read', 'token-gating'],
    status: 'approved',
    rejectionReason: null,
    postLogoutRedirectUris: [],
    revision: 3,
    reviewedRevision: 3,
    waitingValues: null,
    ...lists,
  }) as ClientApplication;

describe('applyApplicationChange', () => {
  it('applyApplicationChange: ignores the order of lists', () => {
    const before = approvedWith({});
    const { details, record } = applyApplicationChange(before, {
      name: 'Shop',
      redirectUris: [...before.redirectUris].reverse(),
      origins: [...before.origins].reverse(),
      scopes: ['token-gating', 'user:read'],
    });
    expect(details).toEqual({});
    expect(record.status).toBe('approved');
  });

  it.each([
    { redirectUris: ['https://shop.example/a', 'https://shop.example/b', 'https://shop.example/c'] },
    { postLogoutRedirectUris: ['https://shop.example/out'] },
    { origins: ['https://shop.example', 'https://evil.example'] },
    { name: 'shop' },
    { iconUrl: 'https://shop.example/icon.png' },
  ])('applyApplicationChange: keeps approved values and scopes while others wait: %j', (change) => {
    const before = approvedWith({});
    const { details, record } = applyApplicationChange(before, change);
    expect(details).toEqual(change);
    const origins = 'origins' in change ? ['https://shop.example'] : before.origins;
    expect(record).toMatchObject({
      ...selectReviewedValues(before),
      origins,
      status: 'pending',
      revision: 4,
    });
    expect(record).toMatchObject({ approvedScopes: before.approvedScopes, reviewedRevision: 4 });
    expect(record.waitingValues).toEqual({ ...selectReviewedValues(before), ...change });
  });

  it.each([
    { redirectUris: ['https://shop.example/a'] },
    { redirectUris: [] },
    { origins: ['https://www.shop.example'] },
    { origins: [] },
    { iconUrl: null },
  ])('applyApplicationChange: removes at once and stays approved: %j', (change) => {
    const before = approvedWith({ iconUrl: 'https://shop.example/icon.png' });
    const { record } = applyApplicationChange(before, change);
    expect(record).toMatchObject({ ...change, status: 'approved', waitingValues: null, reviewedRevision: 4 });
  });

  it.each([
    { change: { origins: [] }, left: [] },
    { change: { origins: ['https://other.example'] }, left: [] },
    {
      change: { origins: ['https://sign.example', 'https://other.example'] },
      left: ['https://sign.example'],
    },
    { change: { origins: [], redirectUris: [] }, left: [] },
  ])('applyApplicationChange: approves no sign-in origin by removing others: %j', ({ change, left }) => {
    const before = approvedWith({ origins: ['https://sign.example', 'https://www.sign.example'] });
    const { record } = applyApplicationChange(before, change);
    const after = Object.assign(new ClientApplication(), before, record);
    expect(getSignInOrigins(after)).toEqual(left);
    expect(record.status).toBe(change.redirectUris ? 'approved' : 'pending');
    expect(toWanted(after).origins).toEqual(change.origins);
  });

  it('applyApplicationChange: lets no sign-in origin work, over any changes, that was not approved', () => {
    const hosts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    const origins = hosts.map((all) => all.map((host) => `https://${host}.example`));
    const redirectUris = hosts.map((all) => all.map((host) => `https://${host}.example/cb`));
    const lists = { origins, redirectUris };
    fc.assert(
      fc.property(
        fc.record(lists),
        fc.array(fc.record(lists, { requiredKeys: [] }), { maxLength: 6 }),
        (approved, changes) => {
          let now = approvedWith(approved);
          let left = getSignInOrigins(now);
          for (const change of changes) {
            now = Object.assign(new ClientApplication(), now, applyApplicationChange(now, change).record);
            const wanted = toWanted(now);
            left = left.filter((origin) => getSignInOrigins(wanted).includes(origin));
            expect(getSignInOrigins(now).toSorted()).toEqual(left.toSorted());
            if (change.origins) expect(wanted.origins.toSorted()).toEqual(change.origins.toSorted());
          }
        },
      ),
    );
  });

  it('applyApplicationChange: changes what no operator has reviewed, and its scopes wait', () => {
    const before = approvedWith({ reviewedRevision: 2 });
    const { record } = applyApplicationChange(before, { name: 'shop' });
    expect(record).toMatchObject({ name: 'shop', status: 'pending', approvedScopes: ['user:read'] });
    expect(record).toMatchObject({ waitingValues: null, reviewedRevision: 2, revision: 4 });
  });

  it('applyApplicationChange: lets no address work, over any changes, that was not approved', () => {
    const values = fc.record({ redirectUris: uris, postLogoutRedirectUris: uris }, { requiredKeys: [] });
    fc.assert(
      fc.property(uris, fc.array(values, { maxLength: 6 }), (approved, changes) => {
        const before = approvedWith({ redirectUris: approved, postLogoutRedirectUris: approved });
        let left = { redirectUris: approved, postLogoutRedirectUris: approved };
        let now = before;
        for (const change of changes) {
          now = Object.assign(new ClientApplication(), now, applyApplicationChange(now, change).record);
          const wanted = toWanted(now);
          for (const field of ['redirectUris', 'postLogoutRedirectUris'] as const) {
            // What was removed is not approved any more when it comes back.
            left = { ...left, [field]: left[field].filter((uri) => wanted[field].includes(uri)) };
            expect(now[field].toSorted()).toEqual(left[field].toSorted());
            if (change[field]) expect(wanted[field].toSorted()).toEqual(change[field].toSorted());
          }
          expect(isReviewed(now)).toBe(true);
        }
      }),
    );
  });
});
