import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DasAssetsService } from './das-assets.service.js';
import {
  createDasFailure,
  type DasAnswer,
  type DasAsset,
  type DasClient,
  type DasPage,
} from './das.client.js';
const OWNER = 'owner';
const request = { signal: new AbortController().signal, tenantId: 'tenant', lane: 'foreground' } as const;

const toAsset = (id: string, more: Partial<DasAsset> = {}): DasAsset => ({
  ...{ id, interface: 'MplCoreAsset', ownership: { owner: OWNER } },
  ...more,
});

/** Lists pages, which are not the last ones, and then an empty one. */
async function list(pages: readonly (readonly DasAsset[] | Exclude<DasAnswer, DasPage>)[]) {
  let requests = 0;
  const fetchAssets: DasClient['fetchAssets'] = (_url, _owner, page) => {
    requests += 1;
    const answer = pages[page - 1] ?? [];
    return Promise.resolve(
      answer instanceof Array ? { assets: answer, isLast: answer.length === 0 } : answer,
    );
  };
  const service = new DasAssetsService({ fetchAssets } as DasClient);
  const read = () => service.list('http://indexer', OWNER, request);
  return { result: await read(), again: await read(), requests };
}

const toIds = (result: Awaited<ReturnType<DasAssetsService['list']>>) =>
  'code' in result ? result.code : result.nfts.map(({ mint }) => mint).sort();

const asset = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  interface: fc.constantFrom('MplCoreAsset', 'MplCoreCollection', 'V1_NFT', 'ProgrammableNFT'),
  compression: fc.constantFrom(undefined, null, { compressed: true }, { compressed: false }),
  burnt: fc.constantFrom(undefined, null, true, false),
  ownership: fc.constantFrom({ owner: OWNER }, { owner: OWNER }, { owner: OWNER }, { owner: 'other' }),
});

describe('DasAssetsService', () => {
  it('DasAssetsService: counts each Core or compressed asset of the owner once, however the pages repeat them', async () => {
    const pages = fc.array(fc.array(asset, { minLength: 1, maxLength: 4 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(pages, async (listed) => {
        const all = listed.flat();
        const counted = all.filter(
          (one) =>
            one.burnt !== true && (one.interface === 'MplCoreAsset' || one.compression?.compressed === true),
        );
        const isOfOthers = all.some(({ ownership }) => ownership.owner !== OWNER);
        const { result } = await list(listed);
        expect(toIds(result)).toEqual(
          isOfOthers ? 'indexer_malformed_answer' : [...new Set(counted.map(({ id }) => id))].sort(),
        );
      }),
    );
  });

  it('DasAssetsService: reads pages until the last one, and caches the list', async () => {
    const { result, again, requests } = await list([[toAsset('a')], [toAsset('b')]]);
    expect(result).toMatchObject({ nfts: [{ mint: 'a' }, { mint: 'b' }], isComplete: true });
    expect(again).toBe(result);
    expect(requests).toBe(3);
  });

  it('DasAssetsService: takes only verified collections and creators', async () => {
    const toGroup = (value: string, verified?: boolean) => ({
      ...{ group_key: 'collection', group_value: value, verified },
    });
    const { result } = await list([
      [
        toAsset('a', {
          grouping: [toGroup('claimed', false), toGroup('accepted')],
          creators: [
            { address: 'signer', verified: true },
            { address: 'claimed', verified: false },
            { address: 'unknown' },
          ],
        }),
        toAsset('b', { grouping: [toGroup('claimed', false)] }),
      ],
    ]);
    expect(result).toMatchObject({
      nfts: [
        { mint: 'a', collection: 'accepted', creators: ['signer'] },
        { mint: 'b', collection: undefined, creators: [] },
      ],
    });
  });

  it.each<[string, number, boolean]>([
    ['all of 10,000 assets', 10_000, true],
    ['no page after 10,000 assets', 10_001, false],
  ])('DasAssetsService: reads %s', async (_, count, isComplete) => {
    const assets = Array.from({ length: count }, (_unused, index) => toAsset(String(index)));
    const pages = Array.from({ length: Math.ceil(count / 500) }, (_unused, page) =>
      assets.slice(page * 500, (page + 1) * 500),
    );
    const { result } = await list(pages);
    expect(result).toMatchObject({ isComplete });
    expect('nfts' in result && result.nfts.length).toBe(count);
  });

  it('DasAssetsService: ends where an indexer repeats one page without an end', async () => {
    const page = Array.from({ length: 500 }, (_, index) => toAsset(String(index)));
    const { result, requests } = await list(Array.from({ length: 1_000 }, () => page));
    expect(result).toMatchObject({ isComplete: false });
    expect('nfts' in result && result.nfts.length).toBe(500);
    expect(requests).toBe(21);
  });

  it('DasAssetsService: keeps what it found before a page that is too large, and nothing before one that failed', async () => {
    const failure = createDasFailure('indexer_unavailable', 'the indexer could not be reached');
    const { result } = await list([[toAsset('a')], 'too_large']);
    expect(result).toMatchObject({ nfts: [{ mint: 'a' }], isComplete: false });
    expect((await list([[toAsset('a')], failure])).result).toBe(failure);
  });
});
