import { findAddressProblem } from './evm-address.js';

/** The longest text of a function. */
export const MAX_FUNCTION_LENGTH = 512;
/** The most parameters of a function. */
export const MAX_FUNCTION_PARAMETERS = 8;

/** Stands for the address of the wallet, as an argument and as the value that a result has to equal. */
export const ACCOUNT_PLACEHOLDER = '$account';

/** What a function returns, as far as a rule compares it. An array is compared by its length. */
export type FunctionResult =
  | { readonly kind: 'bool' | 'address' | 'bytes32' | 'length' }
  | { readonly kind: 'integer'; readonly isSigned: boolean; readonly bits: number };

/** A function that reads a contract, by its human-readable ABI. */
export interface ContractFunction {
  readonly name: string;
  /** The types of its parameters as ABIs have them, such as `uint256`; never arrays and tuples. */
  readonly parameters: readonly string[];
  readonly result: FunctionResult;
}

const EXAMPLE = '`function getHasValidKey(address) view returns (bool)`';
/** Names, parentheses, commas and the brackets of arrays. Each character is looked at once, so that no text takes long. */
const TOKEN = /[ \t\r\n]*([A-Za-z_$][A-Za-z0-9_$]*|[(),]|\[[0-9]*\])/y;
const END = /[ \t\r\n]*$/y;
const INTEGER_TYPE = /^(u?)int([0-9]{0,3})$/;
const BYTES_TYPE = /^bytes([0-9]{1,2})$/;
const NAME = /^[A-Za-z_$]/;
const DATA_LOCATIONS: readonly unknown[] = ['memory', 'calldata', 'storage'];

/** The function cannot be read by a rule. The message continues “function …”. */
class FunctionProblem extends Error {}

/**
 * Parses human-readable ABI of a function that reads: `function ownerOf(uint256 tokenId) view returns (address)`. Words of Solidity that
 * do not change a call (`external`, `public`, names, data locations) may stand where they stand there.
 *
 * It is no call of viem's `parseAbiItem`, which this lib cannot load: its parser keeps every parameter that it was ever given, so that texts which
 * clients choose would fill the memory. Tests compare both.
 * @returns the function, or an error message
 */
export function parseContractFunction(text: string): ContractFunction | string {
  try {
    return new FunctionParser(toTokens(text)).parse();
  } catch (error) {
    if (error instanceof FunctionProblem) return error.message;
    throw error;
  }
}

function toTokens(text: string): string[] {
  const tokens: string[] = [];
  let at = 0;
  for (;;) {
    END.lastIndex = at;
    if (END.test(text)) return tokens;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined)
      throw new FunctionProblem(
        `has a character that no function has, at position ${findWord(text, at) + 1}`,
      );
    tokens.push(token);
    at = TOKEN.lastIndex;
  }
}

/** Where the next character stands that is no blank. Expects that there is one. */
const findWord = (text: string, at: number): number => at + text.slice(at).search(/[^ \t\r\n]/);

class FunctionParser {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  parse(): ContractFunction {
    if (this.take() !== 'function')
      throw new FunctionProblem(`must be human-readable ABI, such as ${EXAMPLE}`);
    const name = this.take() ?? '';
    if (!NAME.test(name)) throw new FunctionProblem('must have a name after `function`');
    const parameters = this.parseTypes().map(toParameterType);
    if (parameters.length > MAX_FUNCTION_PARAMETERS)
      throw new FunctionProblem(`must have at most ${MAX_FUNCTION_PARAMETERS} parameters`);
    this.skipModifiers();
    const [output, ...others] = this.parseTypes();
    if (output === undefined || others.length > 0) throw new FunctionProblem('must return one value');
    if (this.take() !== undefined) throw new FunctionProblem('must end after what it returns');
    return { name, parameters, result: toResult(output) };
  }

  private take(): string | undefined {
    const token = this.tokens[this.at];
    this.at += 1;
    return token;
  }

  /** `external view returns`, in any order as far as Solidity allows it. */
  private skipModifiers(): void {
    let reads = false;
    for (let word = this.take(); word !== 'returns'; word = this.take()) {
      if (word === undefined)
        throw new FunctionProblem(`must be view or pure and return one value, such as ${EXAMPLE}`);
      if (word === 'view' || word === 'pure') reads = true;
      else if (word !== 'external' && word !== 'public')
        throw new FunctionProblem(`must be view or pure, without \`${shorten(word)}\``);
    }
    if (!reads) throw new FunctionProblem('must be view or pure');
  }

  /** A list in parentheses: types in canonical form, with their brackets. */
  private parseTypes(): string[] {
    if (this.take() !== '(')
      throw new FunctionProblem(`must have its types in parentheses, such as ${EXAMPLE}`);
    const types: string[] = [];
    if (this.tokens[this.at] === ')') {
      this.at += 1;
      return types;
    }
    for (;;) {
      types.push(this.parseType());
      const separator = this.take();
      if (separator === ')') return types;
      if (separator !== ',')
        throw new FunctionProblem(`has a comma or a parenthesis too few before ${quote(separator)}`);
    }
  }

  /** A type, and the data location and the name behind it, which do not matter. */
  private parseType(): string {
    const name = this.take();
    if (name === '(' || name === 'tuple')
      throw new FunctionProblem('must not have tuples: structs cannot be compared');
    if (name === undefined || !NAME.test(name))
      throw new FunctionProblem(`must have a type in place of ${quote(name)}`);
    let type = toCanonicalType(name);
    if (type === 'address' && this.tokens[this.at] === 'payable') this.at += 1;
    let isNamed = false;
    for (let token = this.tokens[this.at]; token !== undefined; token = this.tokens[this.at]) {
      if (token.startsWith('[')) type += token;
      else if (!NAME.test(token) || isNamed) break;
      else if (!DATA_LOCATIONS.includes(token)) isNamed = true;
      this.at += 1;
    }
    return type;
  }
}

function toCanonicalType(name: string): string {
  if (name === 'uint' || name === 'int') return `${name}256`;
  if (name === 'address' || name === 'bool' || name === 'string' || name === 'bytes') return name;
  if (parseIntegerType(name) || parseBytesSize(name) !== undefined) return name;
  throw new FunctionProblem(
    `has the type \`${shorten(name)}\`, which is none of ABIs: structs and types by name cannot be read`,
  );
}

function toParameterType(type: string): string {
  if (type.endsWith(']')) throw new FunctionProblem('must not take arrays: each argument is a single value');
  return type;
}

function toResult(type: string): FunctionResult {
  if (type.endsWith(']')) {
    if (/\[[0-9]/.test(type)) throw new FunctionProblem('must not return an array whose length is fixed');
    if (type.endsWith('][]')) throw new FunctionProblem('must not return an array of arrays');
    return { kind: 'length' };
  }
  if (type === 'bool' || type === 'address' || type === 'bytes32') return { kind: type };
  const integer = parseIntegerType(type);
  if (integer) return { kind: 'integer', ...integer };
  throw new FunctionProblem(
    `must return bool, an integer, address, bytes32 or an array, which is compared by its length, not \`${type}\``,
  );
}

export function parseIntegerType(
  type: string,
): { readonly isSigned: boolean; readonly bits: number } | undefined {
  const [, unsigned, size] = INTEGER_TYPE.exec(type) ?? [];
  const bits = Number(size);
  const isInteger =
    unsigned !== undefined && !size?.startsWith('0') && bits >= 8 && bits <= 256 && bits % 8 === 0;
  return isInteger ? { isSigned: unsigned === '', bits } : undefined;
}

/** The length of `bytes1` to `bytes32`; undefined for other types. */
function parseBytesSize(type: string): number | undefined {
  const digits = BYTES_TYPE.exec(type)?.[1];
  const size = Number(digits);
  return digits !== undefined && !digits.startsWith('0') && size >= 1 && size <= 32 ? size : undefined;
}

const shorten = (word: string): string => (word.length > 40 ? `${word.slice(0, 40)}…` : word);
const quote = (token: string | undefined): string =>
  token === undefined ? 'its end' : `\`${shorten(token)}\``;

const DECIMAL_INTEGER = /^-?[0-9]{1,78}$/;
const HEX_INTEGER = /^0x[0-9a-fA-F]{1,64}$/;

/** An integer as decimal text with or without a sign, or hex text; undefined for other text. */
export function parseInteger(text: string): bigint | undefined {
  return DECIMAL_INTEGER.test(text) || HEX_INTEGER.test(text) ? BigInt(text) : undefined;
}

/** Why a text is no argument of the type; undefined if it is one. @param chainId of the rule, for checksums of EIP-1191 */
export function findArgumentProblem(type: string, text: string, chainId: number): string | undefined {
  if (text === ACCOUNT_PLACEHOLDER)
    return type === 'address'
      ? undefined
      : `is ${ACCOUNT_PLACEHOLDER}, an address, where the function takes ${type}`;
  if (type === 'address') return findAddressProblem(text, [chainId]);
  if (type === 'bool') return text === 'true' || text === 'false' ? undefined : 'must be "true" or "false"';
  if (type === 'string') return text.isWellFormed() ? undefined : 'must be text that UTF-8 can encode';
  const integer = parseIntegerType(type);
  if (integer) return findIntegerProblem(text, integer);
  const size = parseBytesSize(type);
  const isHex = /^0x(?:[0-9a-fA-F]{2})*$/.test(text);
  if (size === undefined) return isHex ? undefined : 'must be bytes: 0x and an even number of hex digits';
  return isHex && text.length === 2 + 2 * size ? undefined : `must be ${type}: 0x and ${2 * size} hex digits`;
}

function findIntegerProblem(
  text: string,
  { isSigned, bits }: { readonly isSigned: boolean; readonly bits: number },
): string | undefined {
  const type = `${isSigned ? 'int' : 'uint'}${bits}`;
  const value = parseInteger(text);
  if (value === undefined) return `must be ${type}: decimal text such as "100", or hex text such as "0x64"`;
  const inRange = (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
  return inRange ? undefined : `is out of the range of ${type}`;
}

/** Why no result can equal a text; undefined if one can. @param chainId of the rule, for checksums of EIP-1191 */
export function findEqualsProblem(result: FunctionResult, text: string, chainId: number): string | undefined {
  switch (result.kind) {
    case 'integer':
      return text === ACCOUNT_PLACEHOLDER
        ? `is ${ACCOUNT_PLACEHOLDER}, an address, where the function returns an integer`
        : findIntegerProblem(text, result);
    case 'length':
      return findArgumentProblem('uint256', text, chainId);
    default:
      return findArgumentProblem(result.kind, text, chainId);
  }
}
