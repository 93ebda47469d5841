import { type SignInField, SignInMessageError } from './sign-in-message.js';

/** The prefixes of the lines of a message, in order. */
export const fieldTags = {
  uri: 'URI: ',
  version: 'Version: ',
  chainId: 'Chain ID: ',
  nonce: 'Nonce: ',
  issuedAt: 'Issued At: ',
  expirationTime: 'Expiration Time: ',
  notBefore: 'Not Before: ',
  requestId: 'Request ID: ',
  resources: 'Resources:',
} as const;

type TaggedField = keyof typeof fieldTags;

/** Reads the lines of a message once, from first to last. */
export class MessageLineReader {
  private index = 0;
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  peek(ahead = 0): string | undefined {
    return this.lines[this.index + ahead];
  }

  take(): string | undefined {
    this.index += 1;
    return this.lines[this.index - 1];
  }

  takeEmpty(field: SignInField): void {
    if (this.take() !== '') throw new SignInMessageError(field, 'must be one line, followed by an empty one');
  }

  /** The text after the tag on the next line. Throws SignInMessageError if the line is another one. */
  takeRequired(field: TaggedField): string {
    const text = this.takeOptional(field);
    if (text === undefined) throw new SignInMessageError(field, 'is missing or out of order');
    return text;
  }

  /** Undefined if the next line is another one. */
  takeOptional(field: TaggedField): string | undefined {
    const line = this.peek();
    if (line?.startsWith(fieldTags[field]) !== true) return undefined;
    this.index += 1;
    return line.slice(fieldTags[field].length);
  }

  /** Throws SignInMessageError if a line is left. */
  expectEnd(): void {
    const line = this.peek();
    if (line === undefined) return;
    for (const [field, tag] of Object.entries(fieldTags) as [TaggedField, string][])
      if (line.startsWith(tag)) throw new SignInMessageError(field, 'is repeated or out of order');
    throw new SignInMessageError('message', 'has a line that belongs to no field');
  }
}
