/** What differs between the messages of two kinds of chains. */
export interface SignInForm<ChainId> {
  /** The first line, after the domain. */
  readonly greeting: string;
  /** Empty lines between the address and the fields of a message that has no statement. */
  readonly emptyLines: 1 | 2;
  readonly isAddress: (text: string) => boolean;
  readonly addressReason: string;
  /** Undefined: it is none. */
  readonly chainIdOf: (text: string) => ChainId | undefined;
  readonly chainIdReason: string;
}
