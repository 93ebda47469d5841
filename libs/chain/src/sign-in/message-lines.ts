import { type SignInField, SignInFault } from './sign-in-message.js';

/** How the lines of a message begin, in their order. */
export const tags = {
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

type TaggedField = keyof typeof tags;

/** The lines of a message, read once from first to last. */
export class MessageLines {
  private at = 0;
  private readonly lines: readonly string[];

  constructor(text: string) {
    this.lines = text.split('\n');
  }

  peek(ahead = 0): string | undefined {
    return this.lines[this.at + ahead];
  }

  take(): string | undefined {
    this.at += 1;
    return this.lines[this.at - 1];
  }

  takeEmpty(field: SignInField): void {
    if (this.take() !== '') throw new SignInFault(field, 'must be one line, followed by an empty one');
  }

  /** What follows the tag on the next line. */
  required(field: TaggedField): string {
    const text = this.optional(field);
    if (text === undefined) throw new SignInFault(field, 'is missing or out of order');
    return text;
  }

  /** Undefined when the next line is not the field's. */
  optional(field: TaggedField): string | undefined {
    const line = this.peek();
    if (line?.startsWith(tags[field]) !== true) return undefined;
    this.at += 1;
    return line.slice(tags[field].length);
  }

  /** Throws SignInFault for a line that is left. */
  end(): void {
    const line = this.peek();
    if (line === undefined) return;
    for (const [field, tag] of Object.entries(tags) as [TaggedField, string][])
      if (line.startsWith(tag)) throw new SignInFault(field, 'stands there twice or out of order');
    throw new SignInFault('message', 'has a line that belongs to no field');
  }
}
