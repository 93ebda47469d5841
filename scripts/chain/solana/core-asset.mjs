import { address as toAddress, lamports } from '@solana/kit';
import {
  baseUpdateAuthority,
  getBaseUpdateAuthoritySerializer,
  getKeySerializer,
  getPluginTypeSerializer,
  getRegistryRecordSerializer,
  getVerifiedCreatorsSerializer,
  Key,
  MPL_CORE_PROGRAM_ID,
  PluginType,
} from '@metaplex-foundation/mpl-core';
import { publicKey } from '@metaplex-foundation/umi';
import {
  array,
  option,
  publicKey as publicKeySerializer,
  string,
  struct,
  u64,
} from '@metaplex-foundation/umi/serializers';

const HEADER_BYTES = 9;
const ADD_BLOCKER = Buffer.of(PluginType.AddBlocker);

/**
 * @typedef {object} CoreAssetFields
 * @property {string} owner
 * @property {string | undefined} [collection]
 * @property {string} [uri]
 * @property {readonly { readonly address: string, readonly verified: boolean }[] | undefined} [creators]
 */

/**
 * The data of an account of the Core program, with the serializers of its package.
 * @param {CoreAssetFields} fields
 * @returns {Uint8Array}
 */
export function encodeCoreAsset({ owner, collection, uri = '', creators }) {
  const asset = struct([
    ['key', getKeySerializer()],
    ['owner', publicKeySerializer()],
    ['updateAuthority', getBaseUpdateAuthoritySerializer()],
    ['name', string()],
    ['uri', string()],
    ['seq', option(u64())],
  ]).serialize({
    ...{ key: Key.AssetV1, owner: publicKey(owner), name: 'Asset', uri, seq: null },
    updateAuthority:
      collection === undefined
        ? baseUpdateAuthority('Address', [publicKey(owner)])
        : baseUpdateAuthority('Collection', [publicKey(collection)]),
  });
  if (!creators) return asset;
  const start = asset.length + HEADER_BYTES;
  const plugin = Buffer.concat([
    getPluginTypeSerializer().serialize(PluginType.VerifiedCreators),
    getVerifiedCreatorsSerializer().serialize({
      signatures: creators.map(({ address, verified }) => ({ address: publicKey(address), verified })),
    }),
  ]);
  const registryOffset = start + ADD_BLOCKER.length + plugin.length;
  const header = Buffer.concat([
    getKeySerializer().serialize(Key.PluginHeaderV1),
    u64().serialize(registryOffset),
  ]);
  const registry = Buffer.concat([
    getKeySerializer().serialize(Key.PluginRegistryV1),
    array(getRegistryRecordSerializer()).serialize([
      {
        pluginType: PluginType.AddBlocker,
        authority: { __kind: 'Address', address: publicKey(owner) },
        offset: start,
      },
      {
        pluginType: PluginType.VerifiedCreators,
        authority: { __kind: 'UpdateAuthority' },
        offset: start + ADD_BLOCKER.length,
      },
    ]),
    Buffer.alloc(4),
  ]);
  return Buffer.concat([asset, header, ADD_BLOCKER, plugin, registry]);
}

/**
 * Writes an asset. The Core program itself is not on the cluster: npm has no binary of it.
 * @param {import('litesvm').LiteSVM} svm
 * @param {import('@solana/kit').Address} address
 * @param {CoreAssetFields} fields
 */
export function writeCoreAsset(svm, address, fields) {
  const data = new Uint8Array(encodeCoreAsset(fields));
  svm.setAccount({
    address,
    data,
    executable: false,
    lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress: toAddress(MPL_CORE_PROGRAM_ID),
    space: BigInt(data.length),
  });
}
