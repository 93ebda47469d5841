import { badRequest, notFound, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import {
  type ContractRead,
  createAccountCodeRead,
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc20SymbolRead,
  createSafeOwnerRead,
  createSupportsInterfaceRead,
  createTokenNameRead,
  INTERFACE_IDS,
  type ReadResult,
} from '@app/chain/evm';
import { createMintDetailsRead } from '@app/chain/solana';
import {
  displayText,
  isSolanaChain,
  type RuleTypeName,
  toChecksumAddress,
  type TokenStandard,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { findChainProblem } from '../checks/validate-rules.js';
import { ChainService } from '../rules/chains/chain.service.js';

/** What a contract, or a mint, says of itself. */
export interface TokenDetails {
  /** EVM addresses have their checksum. */
  readonly contractAddress: string;
  readonly name?: string | undefined;
  readonly symbol?: string | undefined;
  readonly decimals?: number | undefined;
  /** Empty where the contract is none of them. */
  readonly standards: readonly TokenStandard[];
  readonly ruleTypes: readonly RuleTypeName[];
}

interface ReadTarget {
  readonly chainId: number;
  readonly contractAddress: string;
  /** The tenant whose share of the reads in progress the reads take. */
  readonly tenantId: string;
}

const RULE_TYPES_BY_STANDARD: Readonly<Record<Exclude<TokenStandard, 'SPL'>, RuleTypeName>> = {
  ERC20: 'ERC20',
  ERC721: 'ERC721',
  ERC1155: 'ERC1155',
  Safe: 'gnosis',
};

/** An account that holds nothing and owns no Safe: whether a contract answers for it tells what the contract is. */
const NOBODY = `0x${'0'.repeat(39)}1`;

/** Reads what a contract is, for those who make rules: once a call, in one round. */
@Injectable()
export class TokenDetailsService {
  constructor(private readonly chains: ChainService) {}

  /** @throws AppError 400 for a chain without a node, 404 where nothing is, 503 while nodes do not answer */
  async read(target: ReadTarget): Promise<TokenDetails> {
    const problem = findChainProblem(target.chainId, this.chains);
    if (problem !== undefined)
      throw badRequest('chain_not_supported', `chainId: ${problem}`, {
        issues: [{ path: 'chainId', message: problem }],
      });
    return isSolanaChain(target.chainId) ? this.readMint(target) : this.readContract(target);
  }

  private async readContract({ chainId, contractAddress, tenantId }: ReadTarget): Promise<TokenDetails> {
    const address = toChecksumAddress(contractAddress);
    const readOne = async <T>(read: ContractRead<T>): Promise<T | undefined> => {
      const [result] = await this.chains.read(chainId, [read], { tenantId });
      return readFact(result);
    };
    const [hasCode, name, symbol, decimals, balance, isErc721, isErc1155, isOwner] = await Promise.all([
      readOne(createAccountCodeRead(address)),
      readOne(createTokenNameRead(address)),
      readOne(createErc20SymbolRead(address)),
      readOne(createErc20DecimalsRead(address)),
      readOne(createErc20BalanceRead(address, NOBODY)),
      readOne(createSupportsInterfaceRead(address, INTERFACE_IDS.erc721)),
      readOne(createSupportsInterfaceRead(address, INTERFACE_IDS.erc1155)),
      readOne(createSafeOwnerRead(address, NOBODY)),
    ]);
    if (hasCode !== true) throw contractNotFound();
    const isErc20 = decimals !== undefined && balance !== undefined && !isErc721 && !isErc1155;
    const standards = [
      ...(isErc20 ? (['ERC20'] as const) : []),
      ...(isErc721 ? (['ERC721'] as const) : []),
      ...(isErc1155 ? (['ERC1155'] as const) : []),
      ...(isOwner === undefined ? [] : (['Safe'] as const)),
    ];
    return {
      ...{ contractAddress: address, name, symbol, standards },
      ...(isErc20 ? { decimals } : {}),
      ruleTypes: standards.map((standard) => RULE_TYPES_BY_STANDARD[standard]),
    };
  }

  private async readMint({ chainId, contractAddress, tenantId }: ReadTarget): Promise<TokenDetails> {
    const [result] = await this.chains.read(chainId, [createMintDetailsRead(contractAddress)], { tenantId });
    const mint = readFact(result);
    if (!mint) throw contractNotFound();
    const { decimals, name, symbol } = mint;
    return {
      ...{ contractAddress, decimals, standards: ['SPL'] },
      ...{ name: toShownText(name), symbol: toShownText(symbol) },
      ruleTypes: decimals === 0 ? ['SOLANA_NFT', 'SOLANA_FT'] : ['SOLANA_FT'],
    };
  }
}

/** Undefined for what the contract does not answer. @throws AppError 503 where a node did not */
function readFact<T>(result: ReadResult<T> | undefined): T | undefined {
  if (result?.ok) return result.value;
  if (result?.permanent) return undefined;
  throw serviceUnavailable(
    'contract_unavailable',
    'The contract could not be read, because a node did not answer.',
    {
      retryAfter: RETRY_AFTER_SECONDS.upstream,
    },
  );
}

const MAX_SHOWN_LENGTH = 256;
const shownText = displayText(MAX_SHOWN_LENGTH);

/** Mints hold texts of any characters; what cannot be shown in a line counts as absent. */
const toShownText = (text: string | undefined): string | undefined => shownText.safeParse(text).data;

const contractNotFound = () =>
  notFound('contract_not_found', 'There is no contract, and no mint, at this address of the chain.');
