/** The tokens of an account cannot be known, because the contract does not list them. Same shape as ReadFailure. */
export interface NotEnumerableFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_not_supported';
  readonly message: string;
}

export const NOT_ENUMERABLE: NotEnumerableFailure = Object.freeze({
  ok: false,
  permanent: true,
  code: 'rule_not_supported',
  message: 'the contract does not list the tokens of an account (ERC721Enumerable): name the ids in tokenId',
});
