import { type Address, generateKeyPairSigner, getAddressEncoder, lamports } from '@solana/kit';
import { getMintEncoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import {
  type CoreAssetFields,
  writeCoreAsset as writeCoreAssetAt,
} from '../../scripts/chain/solana/core-asset.mjs';
import { writeMetadata } from '../../scripts/chain/solana/token-metadata.mjs';
import { TOKEN_2022_ADDRESS, writeTokenAccount } from './solana-tokens.js';

interface NftFields {
  readonly owner: Address;
  /** Held by the owner: 1. */
  readonly amount?: bigint;
  readonly decimals?: number;
  readonly isFrozen?: boolean;
  readonly collection?: { readonly key: string; readonly verified: boolean };
  readonly creators?: { address: string; verified: boolean; share: number }[];
  readonly uri?: string;
  /** The mint that the metadata names: this one. */
  readonly metadataMint?: string;
}

/** Writes a mint, its metadata, and a token account of the owner. @returns the mint */
export async function writeNft(
  cluster: SolanaCluster,
  { owner, amount = 1n, decimals = 0, isFrozen, metadataMint, ...metadata }: NftFields,
): Promise<Address> {
  const mint = await newAddress();
  writeAccount(cluster, mint, TOKEN_PROGRAM_ADDRESS, encodeMint(decimals));
  await writeMetadata(cluster.svm, {
    mint,
    name: 'Badge',
    symbol: 'B',
    updateAuthority: owner,
    ...metadata,
    ...(metadataMint === undefined ? {} : { namedMint: metadataMint }),
  });
  await writeTokenAccount(cluster, { mint, owner, amount, ...(isFrozen === undefined ? {} : { isFrozen }) });
  return mint;
}

const GROUP_MEMBER_POINTER = 22;
const TOKEN_GROUP_MEMBER = 23;
const ACCOUNT_TYPE_MINT = 1;
const TOKEN_ACCOUNT_BYTES = 165;

interface GroupMember {
  readonly group: Address;
  /** The account that the mint says holds its membership: the mint itself. */
  readonly pointsTo?: Address;
  /** The mint that the membership names: this one. */
  readonly member?: Address;
}

/** Writes a Token-2022 mint without Token Metadata, and a token account of the owner. @returns the mint */
export async function writeGroupMember(
  cluster: SolanaCluster,
  owner: Address,
  { group, pointsTo, member }: GroupMember,
): Promise<Address> {
  const mint = await newAddress();
  const encode = (address: Address) => Buffer.from(getAddressEncoder().encode(address));
  const authority = encode(owner);
  const number = Buffer.alloc(8);
  const data = Buffer.concat([
    Buffer.concat([encodeMint(0), Buffer.alloc(TOKEN_ACCOUNT_BYTES)]).subarray(0, TOKEN_ACCOUNT_BYTES),
    Buffer.of(ACCOUNT_TYPE_MINT),
    toExtension(GROUP_MEMBER_POINTER, Buffer.concat([authority, encode(pointsTo ?? mint)])),
    toExtension(TOKEN_GROUP_MEMBER, Buffer.concat([encode(member ?? mint), encode(group), number])),
  ]);
  writeAccount(cluster, mint, TOKEN_2022_ADDRESS, data);
  await writeTokenAccount(cluster, { mint, owner, amount: 1n, program: TOKEN_2022_ADDRESS });
  return mint;
}

const CONFIDENTIAL_TRANSFER = 4;
const METADATA_POINTER = 18;
const TOKEN_METADATA = 19;

interface MintMetadata {
  readonly uri: string;
  readonly pointsTo?: Address;
  /** Bytes of another extension before the metadata. */
  readonly bytesBefore?: number;
}

/** Writes a Token-2022 mint that holds its metadata itself, and a token account of the owner. @returns the mint */
export async function writeMintWithMetadata(
  cluster: SolanaCluster,
  owner: Address,
  { uri, pointsTo, bytesBefore = 0 }: MintMetadata,
): Promise<Address> {
  const mint = await newAddress();
  const encode = (address: Address) => Buffer.from(getAddressEncoder().encode(address));
  const toText = (text: string) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  };
  const fields = [encode(owner), encode(mint), toText('Badge'), toText('B'), toText(uri), Buffer.alloc(4)];
  const data = Buffer.concat([
    Buffer.concat([encodeMint(0), Buffer.alloc(TOKEN_ACCOUNT_BYTES)]).subarray(0, TOKEN_ACCOUNT_BYTES),
    Buffer.of(ACCOUNT_TYPE_MINT),
    toExtension(METADATA_POINTER, Buffer.concat([encode(owner), encode(pointsTo ?? mint)])),
    ...(bytesBefore > 0 ? [toExtension(CONFIDENTIAL_TRANSFER, Buffer.alloc(bytesBefore))] : []),
    toExtension(TOKEN_METADATA, Buffer.concat(fields)),
  ]);
  writeAccount(cluster, mint, TOKEN_2022_ADDRESS, data);
  await writeTokenAccount(cluster, { mint, owner, amount: 1n, program: TOKEN_2022_ADDRESS });
  return mint;
}

export async function newAddress(): Promise<Address> {
  const { address } = await generateKeyPairSigner();
  return address;
}

function toExtension(type: number, value: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(type, 0);
  header.writeUInt16LE(value.length, 2);
  return Buffer.concat([header, value]);
}

const encodeMint = (decimals: number): Buffer =>
  Buffer.from(
    getMintEncoder().encode({
      mintAuthority: null,
      supply: 1n,
      decimals,
      isInitialized: true,
      freezeAuthority: null,
    }),
  );

function writeAccount(
  { svm }: SolanaCluster,
  account: Address,
  programAddress: Address,
  data: Uint8Array,
): void {
  svm.setAccount({
    address: account,
    data: new Uint8Array(data),
    executable: false,
    lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress,
    space: BigInt(data.length),
  });
}

/** Writes an account of the Core program. @returns its address */
export async function writeCoreAsset(cluster: SolanaCluster, fields: CoreAssetFields): Promise<Address> {
  const asset = await newAddress();
  writeCoreAssetAt(cluster.svm, asset, fields);
  return asset;
}
