import { findAddressProblem } from '@app/dto';
import type { AbiFunction, AbiParameter, Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';

/** Bounds what one operation costs to simulate and to send. */
export const MAX_CALL_DATA_BYTES = 32 * 1_024;
/** A signature with 64 named parameters of long types fits. */
export const MAX_SIGNATURE_LENGTH = 1_024;
/** Parameters of a function and components of its tuples together. */
export const MAX_PARAMETERS = 64;
/** Array dimensions and tuples around one value. */
const MAX_NESTING = 8;
/** Each elementary value and each array of no fixed length takes a word of 32 bytes or more, and 32 KiB of call data hold 1,024 words. */
const MAX_VALUES = 1_024;
/** The elements of a fixed array need call data, so a longer one never fits. */
const MAX_ARRAY_LENGTH = 1_024;

/** Why a function call cannot be encoded, and the field of the call at fault. */
export class FunctionCallError extends Error {
  constructor(
    readonly path: readonly (string | number)[],
    message: string,
  ) {
    super(message);
  }
}

/**
 * Encodes a call from the signature of its function and values as JSON has them.
 * @param signature a name and parameters, such as `transfer(address to, uint256 amount)`
 * @throws FunctionCallError
 */
export function encodeFunctionCall(signature: string, values: readonly unknown[]): Hex {
  const item = new SignatureParser(signature).parse();
  const budget = { values: MAX_VALUES };
  const args = toComponents(item.inputs, values, ['arguments'], budget);
  return encodeFunctionData({ abi: [item], functionName: item.name, args });
}

const EXAMPLE = 'such as transfer(address to, uint256 amount), without modifiers and returns';
const IDENTIFIER = /[a-zA-Z$_][\w$]*/y;
const ELEMENTARY = /^(?:address|bool|string|bytes(?:[1-9]|[12]\d|3[012])?|u?int(?:[1-9]\d{0,2})?)$/;

/** viem's `parseAbiItem` keeps every parameter text that it has seen for as long as the process lives, and recurses once per character. */
class SignatureParser {
  private position = 0;
  private parameters = 0;

  constructor(private readonly text: string) {}

  parse(): AbiFunction {
    if (this.text.length > MAX_SIGNATURE_LENGTH)
      this.fail(`must have at most ${MAX_SIGNATURE_LENGTH} characters`);
    const first = this.takeIdentifier();
    // The text as it is copied from the source of a contract.
    const name = first === 'function' ? this.takeIdentifier() : first;
    if (name === undefined || !this.take('(')) this.fail(`must be a signature ${EXAMPLE}`);
    const inputs = this.take(')') ? [] : this.takeParameters(0);
    if (this.position !== this.text.length) this.fail(`must end after its parameters, ${EXAMPLE}`);
    return { type: 'function', name, inputs, outputs: [], stateMutability: 'payable' };
  }

  /** Parameters up to and including the closing parenthesis. */
  private takeParameters(nesting: number): AbiParameter[] {
    const parameters: AbiParameter[] = [];
    do parameters.push(this.takeParameter(nesting));
    while (this.take(','));
    if (!this.take(')')) this.fail(`has a parameter list that is not closed at character ${this.position}`);
    return parameters;
  }

  private takeParameter(nesting: number): AbiParameter {
    this.parameters += 1;
    if (this.parameters > MAX_PARAMETERS)
      this.fail(`must have at most ${MAX_PARAMETERS} parameters and components`);
    const components = this.take('(') ? this.takeComponents(nesting) : undefined;
    const type = components ? 'tuple' : this.takeElementaryType();
    const dimensions = this.takeDimensions(nesting);
    const word = this.takeIdentifier();
    if (word === 'memory' || word === 'calldata') this.takeIdentifier();
    return { type: `${type}${dimensions}`, ...(components && { components }) };
  }

  private takeComponents(nesting: number): AbiParameter[] {
    this.checkNesting(nesting + 1);
    return this.takeParameters(nesting + 1);
  }

  private takeElementaryType(): string {
    const type = this.takeIdentifier();
    const bits = Number(/^u?int(\d+)$/.exec(type ?? '')?.[1] ?? 256);
    if (type === undefined || !ELEMENTARY.test(type) || bits % 8 !== 0 || bits > 256)
      this.fail(
        `has an unknown type before character ${this.position}: enums, contracts and structs are uint8, address and (…)`,
      );
    return type === 'uint' || type === 'int' ? `${type}256` : type;
  }

  private takeDimensions(nesting: number): string {
    let dimensions = '';
    for (let depth = nesting + 1; this.take('['); depth += 1) {
      this.checkNesting(depth);
      const length = /\d*/y;
      length.lastIndex = this.position;
      const [digits = ''] = length.exec(this.text) ?? [];
      this.position += digits.length;
      if (!this.take(']')) this.fail(`has an array that is not closed at character ${this.position}`);
      if (digits.startsWith('0') || Number(digits) > MAX_ARRAY_LENGTH)
        this.fail(`must have arrays of 1 to ${MAX_ARRAY_LENGTH} elements, or of no fixed length`);
      dimensions += `[${digits}]`;
    }
    return dimensions;
  }

  private checkNesting(nesting: number): void {
    if (nesting > MAX_NESTING) this.fail(`must not nest arrays and tuples deeper than ${MAX_NESTING}`);
  }

  private take(character: string): boolean {
    this.skipSpaces();
    if (this.text[this.position] !== character) return false;
    this.position += 1;
    this.skipSpaces();
    return true;
  }

  private takeIdentifier(): string | undefined {
    this.skipSpaces();
    IDENTIFIER.lastIndex = this.position;
    const [identifier] = IDENTIFIER.exec(this.text) ?? [];
    this.position += identifier?.length ?? 0;
    this.skipSpaces();
    return identifier;
  }

  private skipSpaces(): void {
    while (this.text[this.position] === ' ') this.position += 1;
  }

  private fail(message: string): never {
    throw new FunctionCallError(['function'], message);
  }
}

type Path = readonly (string | number)[];
interface Budget {
  values: number;
}

function toComponents(
  parameters: readonly AbiParameter[],
  value: unknown,
  path: Path,
  budget: Budget,
): unknown[] {
  if (!Array.isArray(value))
    throw new FunctionCallError(path, 'must be an array with the values of the tuple');
  if (value.length !== parameters.length)
    throw new FunctionCallError(path, `must have ${parameters.length} values, as the function says`);
  return parameters.map((parameter, index) =>
    toAbiValue(parameter, (value as readonly unknown[])[index], [...path, index], budget),
  );
}

/** Checks a value from JSON and converts it to what viem encodes. */
function toAbiValue(parameter: AbiParameter, value: unknown, path: Path, budget: Budget): unknown {
  const { type } = parameter;
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (element === undefined ? type !== 'tuple' : length === '') budget.values -= 1;
  if (budget.values < 0)
    throw new FunctionCallError(['arguments'], `must have at most ${MAX_VALUES} values together`);
  if (element !== undefined) {
    if (!Array.isArray(value)) throw new FunctionCallError(path, `must be an array, as ${type} is`);
    if (length !== '' && value.length !== Number(length))
      throw new FunctionCallError(path, `must have ${length} elements, as ${type} has`);
    return value.map((one: unknown, index) =>
      toAbiValue({ ...parameter, type: element }, one, [...path, index], budget),
    );
  }
  if ('components' in parameter) return toComponents(parameter.components, value, path, budget);
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw new FunctionCallError(path, 'must be true or false, as a bool is');
    return value;
  }
  if (typeof value !== 'string') throw new FunctionCallError(path, `must be text, as ${type} is given`);
  // viem takes 160 ms to encode a text of 1 MB.
  if (value.length > 2 + 2 * MAX_CALL_DATA_BYTES)
    throw new FunctionCallError(path, `must be at most ${MAX_CALL_DATA_BYTES} bytes`);
  const problem = findTextValueProblem(type, value);
  if (problem !== undefined) throw new FunctionCallError(path, problem);
  if (type === 'string') return value;
  return type.includes('int') ? BigInt(value) : value.toLowerCase();
}

const HEX = /^0x[0-9a-fA-F]*$/;
const INTEGER = /^(?:-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/;

function findTextValueProblem(type: string, text: string): string | undefined {
  if (type === 'string') return undefined;
  if (type === 'address') return findAddressProblem(text);
  if (type.startsWith('bytes')) {
    if (!HEX.test(text) || text.length % 2 !== 0) return 'must be whole bytes as hex text with 0x';
    const size = type.slice('bytes'.length);
    const isFitting = size === '' || text.length === 2 + 2 * Number(size);
    return isFitting ? undefined : `must have ${size} bytes, as ${type} has`;
  }
  if (!INTEGER.test(text)) return 'must be an integer as decimal or hex text';
  const bits = BigInt(type.replace(/^u?int/, ''));
  const isSigned = type.startsWith('int');
  const most = 2n ** (isSigned ? bits - 1n : bits) - 1n;
  const least = isSigned ? -most - 1n : 0n;
  const integer = BigInt(text);
  return integer < least || integer > most ? `must fit in ${type}` : undefined;
}
