import { describe, expect, it } from '@jest/globals';
import { MemoryBlockstore } from 'blockstore-core';
import { importBytes } from 'ipfs-unixfs-importer';
import { ACTION_LIMITS } from './action-limits.js';
import { checkActionSource, parseActionCid, toActionCid } from './parse-action-cid.js';

const encoder = new TextEncoder();

/** The CID that `ipfs add` gives a file. */
const addToIpfs = async (bytes: Uint8Array, options: { cidVersion: 0 | 1; rawLeaves: boolean }) =>
  (await importBytes(bytes, new MemoryBlockstore(), options)).cid;

const issueOf = (text: string): unknown => {
  try {
    return parseActionCid(text).toString();
  } catch (error) {
    return error;
  }
};

describe('checkActionSource', () => {
  const sources = {
    empty: new Uint8Array(),
    short: encoder.encode('export default 1'),
    'of 128 bytes': new Uint8Array(128),
    'as large as it may be': new Uint8Array(ACTION_LIMITS.sourceBytes).fill(32),
  };

  it.each(Object.entries(sources))(
    'checkActionSource: takes a file that is %s, as ipfs names it',
    async (_, bytes) => {
      for (const cidVersion of [0, 1] as const) {
        for (const rawLeaves of [false, true]) {
          const cid = await addToIpfs(bytes, { cidVersion, rawLeaves });
          expect(() => {
            checkActionSource(parseActionCid(cid.toString()), bytes);
          }).not.toThrow();
        }
      }
    },
  );

  it('checkActionSource: names a file as ipfs does with plain leaves', async () => {
    const cid = await addToIpfs(sources.short, { cidVersion: 1, rawLeaves: true });
    expect(toActionCid(sources.short).toString()).toBe(cid.toString());
  });

  it('checkActionSource: refuses other bytes', async () => {
    for (const rawLeaves of [false, true]) {
      const cid = await addToIpfs(sources.short, { cidVersion: 1, rawLeaves });
      expect(() => {
        checkActionSource(cid, encoder.encode('export default 2'));
      }).toThrow('does not have this CID');
    }
  });
});

describe('parseActionCid', () => {
  it('parseActionCid: reads both versions of the same block as the same action', async () => {
    const cid = await addToIpfs(encoder.encode('export default 1'), { cidVersion: 0, rawLeaves: false });
    expect(cid.toString()).toMatch(/^Qm/);
    expect(parseActionCid(cid.toString()).toString()).toBe(parseActionCid(cid.toV1().toString()).toString());
  });

  it('parseActionCid: refuses what is no CID of a file', () => {
    const wrong = [
      'Qm',
      'ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
      // An identity hash, dag-cbor, and sha2-512.
      'bafkqaaa',
      'bafyreigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
      'bafkrgqhhyivzstcz3hhswshfjgy6ertgmnqeleynhwt4dlfsthi4hn7zgh4uvlsb5xncykzapi3ocd4lzogukir6ksdy6wzrnz6ohnv4aglcs',
    ];
    for (const text of wrong)
      expect(issueOf(text)).toMatchObject({ statusCode: 400, name: 'BadRequestError' });
  });
});
