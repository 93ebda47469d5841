import { address as toAddress, getAddressEncoder, getProgramDerivedAddress, lamports } from '@solana/kit';
import {
  getMetadataAccountDataSerializer,
  MPL_TOKEN_METADATA_PROGRAM_ID,
  TokenStandard,
} from '@metaplex-foundation/mpl-token-metadata';
import { publicKey } from '@metaplex-foundation/umi';

/** @import { Address } from '@solana/kit' */

const PROGRAM = toAddress(MPL_TOKEN_METADATA_PROGRAM_ID);

/**
 * Writes the Token Metadata account of a mint. The program itself is not on the cluster: npm has no binary of it.
 * @param {import('litesvm').LiteSVM} svm
 * @param {object} metadata
 * @param {string} metadata.mint
 * @param {string} metadata.name
 * @param {string} metadata.symbol
 * @param {string} metadata.updateAuthority
 * @param {string} [metadata.uri]
 * @param {{ key: string, verified: boolean }} [metadata.collection]
 * @param {{ address: string, verified: boolean, share: number }[]} [metadata.creators]
 * @param {string} [metadata.namedMint] the mint that the account names
 */
export async function writeMetadata(
  svm,
  { mint, name, symbol, updateAuthority, uri = '', collection, creators, namedMint = mint },
) {
  const isFungible = collection === undefined && creators === undefined;
  const data = getMetadataAccountDataSerializer().serialize({
    updateAuthority: publicKey(updateAuthority),
    mint: publicKey(namedMint),
    name,
    symbol,
    uri,
    sellerFeeBasisPoints: 0,
    creators: creators?.map((creator) => ({ ...creator, address: publicKey(creator.address) })) ?? null,
    primarySaleHappened: false,
    isMutable: true,
    editionNonce: null,
    tokenStandard: isFungible ? TokenStandard.Fungible : TokenStandard.NonFungible,
    collection: collection === undefined ? null : { ...collection, key: publicKey(collection.key) },
    uses: null,
    collectionDetails: null,
    programmableConfig: null,
  });
  svm.setAccount({
    address: await findMetadataAddress(mint),
    data,
    executable: false,
    lamports: lamports(svm.minimumBalanceForRentExemption(BigInt(data.length))),
    programAddress: PROGRAM,
    space: BigInt(data.length),
  });
}

/** @param {string} mint @returns {Promise<Address>} */
async function findMetadataAddress(mint) {
  /** @param {Address} address */
  const encode = (address) => getAddressEncoder().encode(address);
  const [address] = await getProgramDerivedAddress({
    programAddress: PROGRAM,
    seeds: ['metadata', encode(PROGRAM), encode(toAddress(mint))],
  });
  return address;
}
