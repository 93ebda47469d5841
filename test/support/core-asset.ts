import {
  type BasePluginAuthorityArgs,
  baseUpdateAuthority,
  getBaseUpdateAuthoritySerializer,
  getKeySerializer,
  getPluginTypeSerializer,
  getRegistryRecordSerializer,
  getVerifiedCreatorsSerializer,
  Key,
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

export interface CoreAssetFields {
  readonly owner: string;
  readonly collection?: string | undefined;
  readonly uri?: string;
  readonly creators?: readonly { readonly address: string; readonly verified: boolean }[] | undefined;
}

const UPDATE_AUTHORITY: BasePluginAuthorityArgs = { __kind: 'UpdateAuthority' };
const HEADER_BYTES = 9;
const ADD_BLOCKER = Buffer.of(PluginType.AddBlocker);

/** The data of an account of the Core program, with the serializers of its package. */
export function encodeCoreAsset({ owner, collection, uri = '', creators }: CoreAssetFields): Uint8Array {
  const asset = struct<Record<string, unknown>>([
    ['key', getKeySerializer()],
    ['owner', publicKeySerializer()],
    ['updateAuthority', getBaseUpdateAuthoritySerializer()],
    ['name', string()],
    ['uri', string()],
    ['seq', option(u64())],
  ] as never).serialize({
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
        authority: UPDATE_AUTHORITY,
        offset: start + ADD_BLOCKER.length,
      },
    ]),
    Buffer.alloc(4),
  ]);
  return Buffer.concat([asset, header, ADD_BLOCKER, plugin, registry]);
}
