import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';
import { type Block, importFiles, toCar } from './ipfs-cars.js';
import { MetadataWorld } from './metadata-world.js';

const world = new MetadataWorld();
afterAll(() => world.stop());

const tenantId = 'tenant';
const toJson = (name: string, size = 10) => Buffer.from(JSON.stringify({ name, filler: 'x'.repeat(size) }));
const CAR = { 'content-type': 'application/vnd.ipld.car; version=1' };

let root: CID;
let blocks: Block[];
let good: string;
let uri: string;
const paths: string[] = [];

beforeAll(async () => {
  ({ root, blocks } = await importFiles({
    '1.json': toJson('one'),
    '2.json': toJson('two'),
    'large.json': toJson('large', 600_000),
    'huge.json': toJson('huge', 1_200_000),
    'sub/3.json': toJson('three'),
  }));
  uri = `ipfs://${root.toString()}/1.json`;
  good = await serve(await toCar(root, blocks), paths);
});

const serve = (body: Buffer, seen: string[] = [], headers: Record<string, string> = CAR) =>
  world.start(({ url }, response) => {
    seen.push(url ?? '');
    response.writeHead(200, headers).end(body);
  });

const find = async (gateways: string[], searched = uri) => {
  const result = await world.createService({ IPFS_GATEWAYS: gateways }).find(searched, { tenantId });
  return result.ok ? result.toJson()['name'] : result.code;
};

describe('T89: metadata from IPFS', () => {
  it('metadata from IPFS: is asked for as a CAR', async () => {
    expect(await find([good])).toBe('one');
    expect(paths).toEqual([`/ipfs/${root.toString()}/1.json?format=car&dag-scope=entity`]);
  });

  it.each([
    ['several blocks', 'large.json', 'large'],
    ['a path of two names', 'sub/3.json', 'three'],
    ['more than 1 MiB', 'huge.json', 'metadata_malformed'],
    ['a name that the directory does not have', '9.json', 'metadata_refused'],
    ['a directory', 'sub', 'metadata_malformed'],
    ['a path upwards', '../1.json', 'metadata_refused'],
  ])('metadata from IPFS: is read for %s', async (_, path, expected) => {
    expect(await find([good], `ipfs://${root.toString()}/${path}`)).toBe(expected);
  });

  it('metadata from IPFS: is read from the older form of the URI', async () => {
    expect(await find([good], `ipfs://ipfs/${root.toString()}/2.json`)).toBe('two');
  });

  it('metadata from IPFS: is refused for what is no CID, another hash, or without a gateway', async () => {
    const sha512 = CID.createV1(0x55, create(0x13, createHash('sha512').update('x').digest()));
    expect(await find([good], 'ipfs://nonsense/1')).toBe('metadata_refused');
    expect(await find([good], `ipfs://${sha512.toString()}`)).toBe('metadata_refused');
    expect(await find([])).toBe('metadata_refused');
  });

  const lies: Record<string, () => Promise<Buffer>> = {
    'a wrong block': () =>
      toCar(
        root,
        blocks.map(({ cid, bytes }) => ({ cid, bytes: Buffer.from(bytes).reverse() })),
      ),
    'another root': async () => {
      const other = await importFiles({ '1.json': toJson('other') });
      return toCar(other.root, other.blocks);
    },
    'the root of another document under the name of the right one': async () => {
      const other = await importFiles({ '1.json': toJson('other') });
      return toCar(root, other.blocks);
    },
    'a missing block': () =>
      toCar(
        root,
        blocks.filter(({ cid }) => cid.equals(root)),
      ),
    'too many bytes': async () =>
      toCar(root, [
        ...blocks,
        ...(await importFiles({ a: Buffer.alloc(5_000_000, 'a') })).blocks,
        toBlock(5_000_000),
      ]),
    'no CAR': () => Promise.resolve(Buffer.from('<html>')),
    nothing: () => Promise.resolve(Buffer.alloc(0)),
  };
  it.each(Object.entries(lies))(
    'metadata from IPFS: is taken from the next gateway when one sends %s',
    async (_, getBody) => {
      const liar = await serve(await getBody());
      expect(await find([liar, good])).toBe('one');
      expect(await find([liar])).toMatch(/^metadata_(?:unavailable|malformed)$/);
    },
  );

  it('metadata from IPFS: is taken from a plain answer only when its hash is the CID, or from a trusted gateway', async () => {
    const text = toJson('raw');
    const raw = CID.createV1(0x55, create(0x12, createHash('sha256').update(text).digest()));
    const plain = await serve(text, [], { 'content-type': 'application/json' });
    expect(await find([plain], `ipfs://${raw.toString()}`)).toBe('raw');
    const other = await serve(toJson('other'), [], { 'content-type': 'application/json' });
    expect(await find([other], `ipfs://${raw.toString()}`)).toBe('metadata_unavailable');
    expect(await find([plain])).toBe('metadata_unavailable');
    const trusting = world.createService({ IPFS_TRUSTED_GATEWAYS: [plain] });
    expect(await trusting.find(uri, { tenantId })).toMatchObject({ ok: true });
  });

  it('metadata from IPFS: asks a gateway that lies no more for a while, and one that lacks content again', async () => {
    const [lyingPaths, lackingPaths]: [string[], string[]] = [[], []];
    const lying = await serve(await (lies['a wrong block'] as () => Promise<Buffer>)(), lyingPaths);
    const lacking = await world.start(({ url }, response) => {
      lackingPaths.push(url ?? '');
      response.writeHead(404).end();
    });
    const service = world.createService({ IPFS_GATEWAYS: [lying, lacking, good] });
    for (let id = 0; id < 8; id += 1) {
      const result = await service.find(`${uri}?${id}`, { tenantId });
      expect(result).toMatchObject({ ok: true });
    }
    expect(lyingPaths).toHaveLength(5);
    expect(lackingPaths).toHaveLength(8);
  });

  it('metadata from Arweave: follows the redirect of a gateway', async () => {
    const target = await world.start((_, response) => response.end(toJson('permaweb')));
    const gateway = await world.start((_, response) =>
      response.writeHead(302, { location: `${target}/x` }).end(),
    );
    const service = world.createService({ ARWEAVE_GATEWAYS: [gateway] });
    const found = await service.find(`ar://${'a'.repeat(43)}/1.json`, { tenantId });
    expect(found.ok && found.toJson()['name']).toBe('permaweb');
    expect(await service.find('ar://short', { tenantId })).toMatchObject({ code: 'metadata_refused' });
  });
});

function toBlock(size: number): Block {
  const bytes = Buffer.alloc(size, 'b');
  return { cid: CID.createV1(0x55, create(0x12, createHash('sha256').update(bytes).digest())), bytes };
}
