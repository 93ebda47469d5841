/** Nobody is signed in, or not recently enough. The page filter turns it into a way to the login page and back. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';

  constructor(
    /** Where the browser wanted to go. */
    readonly path: string,
    /** Somebody is signed in; what they want to do asks for it once more. */
    readonly again = false,
  ) {
    super('Somebody has to sign in first');
  }
}
